//! List of groups of the same size, four bytes for each of their bots.

/// Groups of bots in an order, each as the indices of its bots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups {
    bots: Vec<u32>,
    width: usize,
}

impl Groups {
    /// Returns how many groups there are.
    pub fn len(&self) -> u64 {
        self.bots.len().checked_div(self.width).map_or(0, |groups| groups as u64)
    }

    /// Returns whether there is no group.
    pub fn is_empty(&self) -> bool {
        self.bots.is_empty()
    }

    /// Returns a group; `None` from [`Groups::len`] on.
    pub fn at(&self, index: u64) -> Option<Vec<usize>> {
        let first = usize::try_from(index).ok()?.checked_mul(self.width)?;
        let group = self.bots.get(first..first.checked_add(self.width)?)?;
        (!group.is_empty()).then(|| group.iter().map(|bot| *bot as usize).collect())
    }

    /// Returns the groups in their order.
    pub fn iter(&self) -> impl Iterator<Item = Vec<usize>> + Send + '_ {
        let groups = self.bots.chunks(self.width.max(1));
        groups.map(|group| group.iter().map(|bot| *bot as usize).collect())
    }
}

impl FromIterator<Vec<usize>> for Groups {
    /// Gathers groups. Leaves out groups of another size than the first one, and groups with
    /// a bot beyond 2³².
    fn from_iter<I: IntoIterator<Item = Vec<usize>>>(groups: I) -> Self {
        let mut all = Self::default();
        all.extend(groups);
        all
    }
}

impl Extend<Vec<usize>> for Groups {
    fn extend<I: IntoIterator<Item = Vec<usize>>>(&mut self, groups: I) {
        for group in groups {
            if self.bots.is_empty() {
                self.width = group.len();
            }
            let bots: Result<Vec<u32>, _> = group.iter().map(|bot| u32::try_from(*bot)).collect();
            if let Ok(bots) = bots
                && bots.len() == self.width
            {
                self.bots.extend(bots);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_come_back_as_they_were_put_in() {
        let given = [vec![3, 1, 2], vec![0, 4, 5], vec![9, 8, 7]];
        let groups: Groups = given.clone().into_iter().collect();
        assert_eq!(groups.iter().collect::<Vec<_>>(), given);
        assert_eq!((groups.len(), groups.at(1), groups.at(3)), (3, Some(vec![0, 4, 5]), None));
        let none = Groups::default();
        assert_eq!((none.len(), none.at(0), none.at(u64::MAX)), (0, None, None));
        assert!(none.is_empty() && none.iter().next().is_none());
    }
}
