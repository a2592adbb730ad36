//! How many bytes are on their way at once.
//!
//! All requests share one link, so what is needed first comes the later the more is asked for beside it. Few bytes are
//! enough at the beginning; a link on which many come soon has room for more.

/// Bytes on their way in the beginning: what a link of 1 Gb/s carries in 70 ms.
const BEGINNING: u64 = 8 << 20;
/// And in the end, unless far more may wait: what a link of 10 Gb/s carries in 50 ms.
const FULL: u64 = 64 << 20;

/// Says how many bytes may be on their way. It doubles each time that as many have come.
#[derive(Clone, Debug)]
pub struct Window {
    size: u64,
    most: u64,
    on_way: u64,
    /// Bytes that came since it last grew.
    came: u64,
}

impl Window {
    /// The beginning, where at most this many bytes may wait to be used.
    pub fn new(bound: u64) -> Window {
        Window { size: BEGINNING, most: FULL.max(bound / 4), on_way: 0, came: 0 }
    }

    /// Whether that many bytes more may be asked for. What is too much by itself goes alone.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.on_way == 0 || self.on_way.saturating_add(bytes) <= self.size
    }

    /// Bytes are asked for.
    pub fn ask(&mut self, bytes: u64) {
        self.on_way = self.on_way.saturating_add(bytes);
    }

    /// Bytes that were asked for came, or will not.
    pub fn end(&mut self, bytes: u64) {
        self.on_way = self.on_way.saturating_sub(bytes);
        self.came = self.came.saturating_add(bytes);
        if self.came >= self.size {
            self.came = 0;
            self.size = self.size.saturating_mul(2).min(self.most);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_grows_by_what_came_and_no_further_than_its_end() {
        let mut window = Window::new(256 << 20);
        let mut most = Vec::new();
        for _ in 0..8 {
            let mut asked = 0;
            while window.has_room(1 << 20) {
                window.ask(1 << 20);
                asked += 1;
            }
            most.push(asked);
            (0..asked).for_each(|_| window.end(1 << 20));
        }
        assert_eq!(most, [8, 16, 32, 64, 64, 64, 64, 64]);
        assert_eq!(Window::new(1 << 30).most, 256 << 20);
    }

    #[test]
    fn what_is_larger_than_all_room_goes_alone() {
        let mut window = Window::new(0);
        assert!(window.has_room(u64::MAX));
        window.ask(u64::MAX);
        assert!(!window.has_room(1));
        window.end(u64::MAX);
        assert!(window.has_room(1 << 30));
    }
}
