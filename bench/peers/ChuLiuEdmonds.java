// The K best trees by the Java package ChuLiuEdmonds, driven as driver.hpp says. Java runs this file
// as it is, with that package and Guava on the class path:
//
//   java -cp chuliuedmonds.jar:guava.jar bench/peers/ChuLiuEdmonds.java WORK-FILE

import edu.cmu.cs.ark.cle.Arborescence;
import edu.cmu.cs.ark.cle.KBestArborescences;
import edu.cmu.cs.ark.cle.graph.DenseWeightedGraph;
import edu.cmu.cs.ark.cle.util.Weighted;
import java.io.BufferedReader;
import java.io.FileReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;

class ChuLiuEdmonds {
  static int k;
  static final List<double[][]> graphs = new ArrayList<>();

  public static void main(String[] arguments) throws IOException {
    read(arguments[0]);
    double warm = 0;
    while (warm < 4) warm += run();  // seconds: until the compiler has done its work
    System.out.println("ready git 0");
    BufferedReader commands = new BufferedReader(new InputStreamReader(System.in));
    for (String command; (command = commands.readLine()) != null; ) {
      if (command.equals("run")) {
        System.out.println(run());
      } else {
        long start = now();
        for (double[][] weights : graphs) System.out.println(answer(weights));
        System.out.println((now() - start) * 1e-9);
      }
    }
  }

  static void read(String path) throws IOException {
    try (BufferedReader file = new BufferedReader(new FileReader(path))) {
      String[] header = file.readLine().split(" ");
      k = Integer.parseInt(header[0]);
      if (header[1].equals("single")) throw new IOException("no single root");
      for (int count = Integer.parseInt(header[2]); count > 0; --count) {
        double[][] weights = new double[Integer.parseInt(file.readLine().trim())][];
        for (int head = 0; head < weights.length; ++head) {
          String[] row = file.readLine().trim().split(" ");
          weights[head] = new double[row.length];
          for (int i = 0; i < row.length; ++i) weights[head][i] = Double.parseDouble(row[i]);
          weights[head][head] = Double.NEGATIVE_INFINITY;
        }
        graphs.add(weights);
      }
    }
  }

  static List<Weighted<Arborescence<Integer>>> solve(double[][] weights) {
    return KBestArborescences.getKBestArborescences(DenseWeightedGraph.from(weights), 0, k);
  }

  static long now() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  static double run() {
    long start = now();
    for (double[][] weights : graphs) solve(weights);
    return (now() - start) * 1e-9;
  }

  static String answer(double[][] weights) {
    List<Weighted<Arborescence<Integer>>> trees = solve(weights);
    StringBuilder text = new StringBuilder().append(trees.size());
    for (Weighted<Arborescence<Integer>> tree : trees) {
      text.append('\n');
      for (int node = 1; node < weights.length; ++node)
        text.append(tree.val.parents.get(node)).append(' ');
    }
    return text.toString();
  }
}
