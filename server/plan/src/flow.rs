//! Integer circulations with lower and upper bounds on every edge, by Dinic's algorithm. Edges are visited in
//! the order in which they were added: another order gives another solution, the same order the same one.

use std::collections::VecDeque;

/// A network whose edges have lower and upper bounds.
pub struct Network {
    /// For each node, the indices of its edges in `edges`.
    out: Vec<Vec<usize>>,
    /// Each edge followed by its reverse, so that their indices differ in the last bit.
    edges: Vec<Edge>,
    /// Net flow into each node required by the lower bounds.
    excess: Vec<i64>,
    low: Vec<(usize, i64)>,
}

struct Edge {
    to: usize,
    room: i64,
}

/// An edge of a [`Network`], by the order in which edges were added.
#[derive(Clone, Copy)]
pub struct EdgeId(pub usize);

impl Network {
    /// A network of `nodes` nodes without edges.
    pub fn new(nodes: usize) -> Self {
        Network { out: vec![Vec::new(); nodes], edges: Vec::new(), excess: vec![0; nodes], low: Vec::new() }
    }

    /// An edge that must carry `low` and may carry `high`.
    pub fn edge(&mut self, from: usize, to: usize, low: i64, high: i64) -> EdgeId {
        let id = self.raw(from, to, high - low);
        self.excess[to] += low;
        self.excess[from] -= low;
        self.low.push((id, low));
        EdgeId(self.low.len() - 1)
    }

    fn raw(&mut self, from: usize, to: usize, room: i64) -> usize {
        let id = self.edges.len();
        self.edges.push(Edge { to, room });
        self.edges.push(Edge { to: from, room: 0 });
        self.out[from].push(id);
        self.out[to].push(id + 1);
        id
    }

    /// The flow of each edge in a circulation within all bounds, in the order in which edges were added;
    /// `None` if there is no such circulation.
    pub fn circulation(mut self) -> Option<Vec<i64>> {
        if self.edges.iter().any(|edge| edge.room < 0) {
            return None;
        }
        let nodes = self.out.len();
        let (source, sink) = (nodes, nodes + 1);
        self.out.extend([Vec::new(), Vec::new()]);
        let mut wanted = 0;
        for node in 0..nodes {
            let excess = self.excess[node];
            if excess > 0 {
                self.raw(source, node, excess);
                wanted += excess;
            } else if excess < 0 {
                self.raw(node, sink, -excess);
            }
        }
        let room: Vec<i64> = self.low.iter().map(|(id, _)| self.edges[*id].room).collect();
        let mut carried = 0;
        while let Some(levels) = self.levels(source, sink) {
            let mut tried = vec![0; self.out.len()];
            loop {
                let pushed = self.push(source, sink, i64::MAX, &levels, &mut tried);
                if pushed == 0 {
                    break;
                }
                carried += pushed;
            }
        }
        let flows = self.low.iter().zip(room).map(|((id, low), room)| low + room - self.edges[*id].room);
        (carried == wanted).then(|| flows.collect())
    }

    /// Distance of each node from the source along edges with free capacity; `None` if the sink cannot be
    /// reached.
    fn levels(&self, source: usize, sink: usize) -> Option<Vec<u32>> {
        let mut levels = vec![u32::MAX; self.out.len()];
        levels[source] = 0;
        let mut queue = VecDeque::from([source]);
        while let Some(node) = queue.pop_front() {
            for id in &self.out[node] {
                let edge = &self.edges[*id];
                if edge.room > 0 && levels[edge.to] == u32::MAX {
                    levels[edge.to] = levels[node] + 1;
                    queue.push_back(edge.to);
                }
            }
        }
        (levels[sink] != u32::MAX).then_some(levels)
    }

    fn push(&mut self, node: usize, sink: usize, most: i64, levels: &[u32], tried: &mut [usize]) -> i64 {
        if node == sink {
            return most;
        }
        while let Some(&id) = self.out[node].get(tried[node]) {
            let Edge { to, room } = self.edges[id];
            if room > 0 && levels[to] == levels[node] + 1 {
                let pushed = self.push(to, sink, most.min(room), levels, tried);
                if pushed > 0 {
                    self.edges[id].room -= pushed;
                    self.edges[id ^ 1].room += pushed;
                    return pushed;
                }
            }
            tried[node] += 1;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn circulation_respects_bounds_or_reports_none() {
        let check = |edges: &[(usize, usize, i64, i64)], possible: bool| {
            let mut network = Network::new(4);
            for (from, to, low, high) in edges {
                network.edge(*from, *to, *low, *high);
            }
            let found = network.circulation();
            assert_eq!(found.is_some(), possible, "{edges:?}");
            let mut balance = [0; 4];
            for (flow, (from, to, low, high)) in found.into_iter().flatten().zip(edges) {
                assert!((low..=high).contains(&&flow), "{flow} in {edges:?}");
                balance[*from] -= flow;
                balance[*to] += flow;
            }
            assert_eq!(balance, [0; 4]);
        };
        check(&[(0, 1, 0, 5), (0, 2, 1, 1), (1, 3, 2, 3), (2, 3, 0, 9), (3, 0, 4, 4)], true);
        check(&[(0, 1, 0, 5), (0, 2, 1, 1), (1, 3, 2, 3), (2, 3, 0, 9), (3, 0, 5, 5)], false);
        check(&[(0, 1, 2, 1)], false);
    }
}
