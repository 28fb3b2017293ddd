# Debian's packages, of any machine, unpacked beside what the system has: for tools/third_party.sh and
# tools/emulated.sh. Needs no root and changes nothing of the system.

# debian_index FOLDER ARCH SUITE: what there is.
debian_index() {
  local folder=$1 arch=$2 suite=$3
  local key=/usr/share/keyrings/debian-archive-keyring.gpg mirror=http://deb.debian.org/debian
  export APT_CONFIG=$folder/apt.conf
  [ ! -e "$folder/ready" ] || return 0
  mkdir -p "$folder"/{state/lists,cache/archives}/partial
  : >"$folder/state/status"
  for kind in deb deb-src; do echo "$kind [signed-by=$key] $mirror $suite main"; done >"$folder/sources.list"
  cat >"$APT_CONFIG" <<CONF
Dir::Etc::SourceList "$folder/sources.list";
Dir::Etc::SourceParts "/dev/null";
Dir::State "$folder/state";
Dir::State::status "$folder/state/status";
Dir::Cache "$folder/cache";
APT::Architecture "$arch";
APT::Architectures { "$arch"; };
APT::Sandbox::User "root";
CONF
  apt-get -qq update
  touch "$folder/ready"
}

# debian_sources FOLDER PACKAGE...: each unpacked as FOLDER/PACKAGE. Of the last index.
debian_sources() {
  local folder=$1 package
  shift
  mkdir -p "$folder"
  for package in "$@"; do
    [ ! -d "$folder/$package" ] || continue
    (cd "$folder" && apt-get -qq source --download-only --only-source "$package" &&
      dpkg-source --no-check -x "$package"_*.dsc "$package" >/dev/null)
  done
}

# debian_packages FOLDER PACKAGE...: these and all that they need, unpacked into FOLDER.
debian_packages() {
  local folder=$1 package
  shift
  [ ! -e "$folder/ready" ] || return 0
  apt-get -qq -y --no-install-recommends --download-only install "$@" >/dev/null
  mkdir -p "$folder"
  for package in "$(dirname "$APT_CONFIG")"/cache/archives/*.deb; do dpkg-deb -x "$package" "$folder"; done
  [ -e "$folder/lib" ] || ln -s usr/lib "$folder/lib"  # newer Debians have one folder
  touch "$folder/ready"
}
