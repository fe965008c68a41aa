//! Groups of things that are connected, such as raters by common outputs.

/// A partition that becomes coarser.
pub struct Groups {
    parent: Vec<usize>,
}

impl Groups {
    /// Every one of `n` things is a group.
    pub fn new(n: usize) -> Groups {
        Groups { parent: (0..n).collect() }
    }

    /// Makes the groups of two things one.
    pub fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.of(a), self.of(b));
        self.parent[a] = b;
    }

    /// The group of a thing: the same for two things exactly if they are connected.
    pub fn of(&mut self, mut at: usize) -> usize {
        while self.parent[at] != at {
            self.parent[at] = self.parent[self.parent[at]];
            at = self.parent[at];
        }
        at
    }

    /// Number of groups.
    pub fn count(&self) -> usize {
        (0..self.parent.len()).filter(|at| self.parent[*at] == *at).count()
    }
}
