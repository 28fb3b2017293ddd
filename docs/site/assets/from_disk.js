// The search fetches pages for its excerpts, which a page that is read from disk may not do: there
// they come from articles.js.
if (location.protocol === "file:") {
  const root = new URL(document.documentElement.dataset.content_root, location);
  const load = () =>
    new Promise((resolve) => {
      const script = document.createElement("script");
      script.src = new URL("_static/articles.js", root);
      script.onload = () => resolve(window.articles);
      document.head.append(script);
    });
  let loaded;
  window.fetch = async (address) => {
    loaded ??= load();
    const page = new URL(address, location).href.slice(root.href.length);
    return new Response((await loaded)[page]);
  };
}
