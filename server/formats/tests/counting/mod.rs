//! An allocator that counts, for tests of how much memory readers use.

#![allow(unsafe_code, reason = "an allocator that counts is an implementation of the unsafe trait `GlobalAlloc`")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

/// The system's allocator, which counts what a thread has.
struct Counting;

thread_local! {
    /// Bytes that the thread has now, and the most that it had.
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn add(bytes: isize) {
    let now = NOW.get() + bytes;
    NOW.set(now);
    PEAK.set(PEAK.get().max(now));
}

// SAFETY: every call goes to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size().cast_signed());
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        add(-layout.size().cast_signed());
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both are there while one is copied to the other.
        add(size.cast_signed());
        add(-layout.size().cast_signed());
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The most bytes that the thread has while `read` runs, above what it has before.
pub fn peak(read: impl FnOnce()) -> usize {
    let before = NOW.get();
    PEAK.set(before);
    read();
    (PEAK.get() - before).try_into().unwrap()
}
