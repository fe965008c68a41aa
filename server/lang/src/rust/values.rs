// Plain values as bytes, and frames over the control descriptor, for the two processes of the guard. Numbers are sent as
// they are in memory, because the same compiler builds both processes. The reader checks every length.
#[allow(dead_code, unsafe_code)]
mod aixgrade {
    use std::{
        any::Any,
        collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque},
        fs::File,
        hash::Hash,
        io::{Read, Write},
        mem::ManuallyDrop,
        os::fd::FromRawFd,
        panic::{catch_unwind, set_hook, AssertUnwindSafe},
        sync::atomic::{AtomicBool, AtomicI32, AtomicU32, AtomicU64, Ordering},
    };

    static DESCRIPTOR: AtomicI32 = AtomicI32::new(-1);

    extern "C" {
        fn _exit(code: i32) -> !;
    }

    fn leave(code: i32) -> ! {
        unsafe { _exit(code) }
    }

    // The program's last argument is its descriptor.
    pub fn open() {
        match std::env::args().last().and_then(|number| number.parse().ok()) {
            Some(number) => DESCRIPTOR.store(number, Ordering::SeqCst),
            None => leave(3),
        }
    }

    fn control() -> ManuallyDrop<File> {
        ManuallyDrop::new(unsafe { File::from_raw_fd(DESCRIPTOR.load(Ordering::SeqCst)) })
    }

    pub fn send(kind: u8, content: &[u8]) {
        let mut frame = (content.len() as u32 + 1).to_be_bytes().to_vec();
        frame.push(kind);
        frame.extend_from_slice(content);
        if control().write_all(&frame).is_err() {
            leave(3);
        }
    }

    pub fn receive() -> Vec<u8> {
        let mut head = [0; 4];
        if control().read_exact(&mut head).is_err() {
            leave(0);
        }
        let size = u32::from_be_bytes(head) as usize;
        if size == 0 || size > 16 << 20 {
            leave(3);
        }
        let mut frame = vec![0; size];
        if control().read_exact(&mut frame).is_err() {
            leave(0);
        }
        frame.split_off(1)
    }

    fn text(panic: &(dyn Any + Send)) -> String {
        let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()
    }

    // What was written or read since the last `forget`: see `Facts` in answers.rs. Magnitudes are in the order of their
    // bits.
    static LARGEST: AtomicU64 = AtomicU64::new(0);
    static NANS: AtomicU32 = AtomicU32::new(0);
    static INFINITIES: AtomicU32 = AtomicU32::new(0);
    // Whether an answer is read. What is none is refused.
    static IS_ANSWER: AtomicBool = AtomicBool::new(false);

    fn forget() {
        LARGEST.store(0, Ordering::SeqCst);
        NANS.store(0, Ordering::SeqCst);
        INFINITIES.store(0, Ordering::SeqCst);
    }

    fn see(number: f64) {
        if number.is_nan() {
            NANS.fetch_add(1, Ordering::SeqCst);
        } else if number.is_infinite() {
            INFINITIES.fetch_add(1, Ordering::SeqCst);
        } else {
            LARGEST.fetch_max(number.abs().to_bits(), Ordering::SeqCst);
        }
    }

    // Refuses an answer: see `refusal` in answers.rs.
    fn refuse(why: u8) -> ! {
        send(b'O', &[why]);
        leave(3)
    }

    fn unreadable() -> ! {
        if IS_ANSWER.load(Ordering::SeqCst) {
            refuse(b'f');
        }
        leave(3)
    }

    // The solver: answers calls. `answer` reads arguments, calls the sample's function and writes the result.
    pub fn serve(answer: impl Fn(&mut &[u8], &mut Vec<u8>)) -> i32 {
        open();
        loop {
            let input = receive();
            let mut out = Vec::new();
            forget();
            match catch_unwind(AssertUnwindSafe(|| answer(&mut &input[..], &mut out))) {
                Ok(()) => send_answer(&out),
                Err(panic) => {
                    send(b'X', text(&*panic).as_bytes());
                    return 1;
                }
            }
        }
    }

    // Facts, as answers.rs describes them, and an answer. Arguments are copies, and keys do not collide.
    fn send_answer(answer: &[u8]) {
        let mut frame = vec![0; 16];
        frame.extend_from_slice(&LARGEST.load(Ordering::SeqCst).to_be_bytes());
        for count in [NANS.load(Ordering::SeqCst), INFINITIES.load(Ordering::SeqCst), 0, answer.len() as u32] {
            frame.extend_from_slice(&count.to_be_bytes());
        }
        frame.extend_from_slice(answer);
        send(b'A', &frame);
    }

    // The judge: runs the tests, reports that all of them have passed, and returns the nonce.
    pub fn judge(tests: &[fn()]) -> i32 {
        open();
        set_hook(Box::new(|info| {
            send(b'F', text(info.payload()).as_bytes());
        }));
        for test in tests {
            if catch_unwind(test).is_err() {
                return 1;
            }
        }
        send(b'E', b"");
        send(b'R', &receive());
        0
    }

    // The judge's side of a call.
    pub fn call<R: Get>(arguments: &[u8]) -> R {
        send(b'C', arguments);
        let frame = receive();
        let mut left = &frame[..];
        let head = take(&mut left, 40);
        let long = |at: usize| head[at..at + 8].iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
        let most_largest = f64::from_bits(long(16));
        let (most_nans, most_infinities) = ((long(24) >> 32) as u32, long(24) as u32);
        forget();
        IS_ANSWER.store(true, Ordering::SeqCst);
        let result = R::get(&mut left);
        if !left.is_empty() {
            unreadable();
        }
        IS_ANSWER.store(false, Ordering::SeqCst);
        if NANS.load(Ordering::SeqCst) > most_nans {
            refuse(b'n');
        }
        if INFINITIES.load(Ordering::SeqCst) > most_infinities {
            refuse(b'i');
        }
        if f64::from_bits(LARGEST.load(Ordering::SeqCst)) > most_largest {
            refuse(b'l');
        }
        result
    }

    fn unsupported() -> ! {
        send(b'U', b"a value of an unsupported type in dyn Any");
        leave(0)
    }

    pub trait Put {
        fn put(&self, out: &mut Vec<u8>);
    }

    pub trait Get: Sized {
        fn get(input: &mut &[u8]) -> Self;
    }

    pub fn take<'a>(input: &mut &'a [u8], count: usize) -> &'a [u8] {
        if count > input.len() {
            unreadable();
        }
        let (taken, left) = input.split_at(count);
        *input = left;
        taken
    }

    // The number of a value of an enum that the tests name; any other ends the process.
    pub fn variant(input: &mut &[u8]) -> u8 {
        take(input, 1)[0]
    }

    pub fn reject<T>() -> T {
        unreadable()
    }

    fn put_count(count: usize, out: &mut Vec<u8>) {
        (count as u32).put(out);
    }

    fn count(input: &mut &[u8]) -> usize {
        let count = u32::get(input) as usize;
        if count > input.len() {
            unreadable();
        }
        count
    }

    macro_rules! numbers {
        ($($kind:ident $see:expr;)*) => {$(
            impl Put for $kind {
                fn put(&self, out: &mut Vec<u8>) {
                    ($see)(*self);
                    out.extend_from_slice(&self.to_ne_bytes());
                }
            }
            impl Get for $kind {
                fn get(input: &mut &[u8]) -> $kind {
                    let mut bytes = [0; std::mem::size_of::<$kind>()];
                    bytes.copy_from_slice(take(input, std::mem::size_of::<$kind>()));
                    let number = <$kind>::from_ne_bytes(bytes);
                    ($see)(number);
                    number
                }
            }
        )*};
    }
    // The absolute value of the smallest integer is not positive.
    fn see_if(is_smallest: bool) {
        INFINITIES.fetch_add(u32::from(is_smallest), Ordering::SeqCst);
    }
    numbers! {
        i8 drop; i16 drop; u8 drop; u16 drop; u32 drop; u64 drop; u128 drop; usize drop;
        i32 |number: i32| see_if(number == i32::MIN);
        i64 |number: i64| see_if(number == i64::MIN);
        i128 |number: i128| see_if(number == i128::MIN);
        isize |number: isize| see_if(number == isize::MIN);
        f32 |number: f32| see(f64::from(number));
        f64 see;
    }

    impl Put for bool {
        fn put(&self, out: &mut Vec<u8>) {
            out.push(u8::from(*self));
        }
    }
    impl Get for bool {
        fn get(input: &mut &[u8]) -> bool {
            take(input, 1)[0] != 0
        }
    }
    impl Put for char {
        fn put(&self, out: &mut Vec<u8>) {
            u32::from(*self).put(out);
        }
    }
    impl Get for char {
        fn get(input: &mut &[u8]) -> char {
            char::from_u32(u32::get(input)).unwrap_or_else(|| unreadable())
        }
    }
    impl Put for str {
        fn put(&self, out: &mut Vec<u8>) {
            put_count(self.len(), out);
            out.extend_from_slice(self.as_bytes());
        }
    }
    impl Put for String {
        fn put(&self, out: &mut Vec<u8>) {
            self.as_str().put(out);
        }
    }
    impl Get for String {
        fn get(input: &mut &[u8]) -> String {
            let count = count(input);
            String::from_utf8(take(input, count).to_vec()).unwrap_or_else(|_| unreadable())
        }
    }
    impl Get for &'static str {
        fn get(input: &mut &[u8]) -> &'static str {
            String::leak(String::get(input))
        }
    }

    impl<T: Put + ?Sized> Put for &T {
        fn put(&self, out: &mut Vec<u8>) {
            (**self).put(out);
        }
    }
    impl<T: Put + ?Sized> Put for &mut T {
        fn put(&self, out: &mut Vec<u8>) {
            (**self).put(out);
        }
    }
    impl<T: Put + ?Sized> Put for Box<T> {
        fn put(&self, out: &mut Vec<u8>) {
            (**self).put(out);
        }
    }
    impl<T: Get> Get for &'static T {
        fn get(input: &mut &[u8]) -> &'static T {
            Box::leak(Box::new(T::get(input)))
        }
    }
    impl<T: Get> Get for &'static mut T {
        fn get(input: &mut &[u8]) -> &'static mut T {
            Box::leak(Box::new(T::get(input)))
        }
    }
    impl<T: Get> Get for &'static [T] {
        fn get(input: &mut &[u8]) -> &'static [T] {
            Vec::leak(Vec::get(input))
        }
    }
    impl<T: Get> Get for Box<T> {
        fn get(input: &mut &[u8]) -> Box<T> {
            Box::new(T::get(input))
        }
    }

    impl<T: Put> Put for [T] {
        fn put(&self, out: &mut Vec<u8>) {
            put_count(self.len(), out);
            self.iter().for_each(|item| item.put(out));
        }
    }
    impl<T: Put, const N: usize> Put for [T; N] {
        fn put(&self, out: &mut Vec<u8>) {
            self.as_slice().put(out);
        }
    }
    impl<T: Get, const N: usize> Get for [T; N] {
        fn get(input: &mut &[u8]) -> [T; N] {
            Vec::get(input).try_into().unwrap_or_else(|_| unreadable())
        }
    }

    macro_rules! collections {
        ($($name:ident<$($kind:ident $(: $bound:ident)*),+>,)*) => {$(
            impl<$($kind: Put),+> Put for $name<$($kind),+> {
                fn put(&self, out: &mut Vec<u8>) {
                    put_count(self.len(), out);
                    self.iter().for_each(|item| item.put(out));
                }
            }
            impl<$($kind: Get $(+ $bound)*),+> Get for $name<$($kind),+> {
                fn get(input: &mut &[u8]) -> Self {
                    (0..count(input)).map(|_| Get::get(input)).collect()
                }
            }
        )*};
    }
    collections! {
        Vec<T>, VecDeque<T>, HashSet<T: Eq: Hash>, BTreeSet<T: Ord>, HashMap<K: Eq: Hash, V>, BTreeMap<K: Ord, V>,
    }

    macro_rules! tuples {
        ($(($($name:ident)*))*) => {$(
            #[allow(non_snake_case, unused_variables)]
            impl<$($name: Put),*> Put for ($($name,)*) {
                fn put(&self, out: &mut Vec<u8>) {
                    let ($($name,)*) = self;
                    $($name.put(out);)*
                }
            }
            #[allow(unused_variables)]
            impl<$($name: Get),*> Get for ($($name,)*) {
                fn get(input: &mut &[u8]) -> Self {
                    ($($name::get(input),)*)
                }
            }
        )*};
    }
    tuples!(()(A)(A B)(A B C)(A B C D)(A B C D E)(A B C D E F));

    impl<T: Put> Put for Option<T> {
        fn put(&self, out: &mut Vec<u8>) {
            self.is_some().put(out);
            self.iter().for_each(|item| item.put(out));
        }
    }
    impl<T: Get> Get for Option<T> {
        fn get(input: &mut &[u8]) -> Option<T> {
            bool::get(input).then(|| T::get(input))
        }
    }
    impl<T: Put, E: Put> Put for Result<T, E> {
        fn put(&self, out: &mut Vec<u8>) {
            self.is_ok().put(out);
            match self {
                Ok(value) => value.put(out),
                Err(error) => error.put(out),
            }
        }
    }
    impl<T: Get, E: Get> Get for Result<T, E> {
        fn get(input: &mut &[u8]) -> Result<T, E> {
            if bool::get(input) { Ok(T::get(input)) } else { Err(E::get(input)) }
        }
    }

    macro_rules! inside_any {
        ($($tag:literal $kind:ty,)*) => {
            impl Put for dyn Any {
                fn put(&self, out: &mut Vec<u8>) {
                    $(if let Some(value) = self.downcast_ref::<$kind>() {
                        out.push($tag);
                        return value.put(out);
                    })*
                    unsupported()
                }
            }
            impl Get for Box<dyn Any> {
                fn get(input: &mut &[u8]) -> Box<dyn Any> {
                    match take(input, 1)[0] {
                        $($tag => Box::new(<$kind>::get(input)),)*
                        _ => unreadable(),
                    }
                }
            }
        };
    }
    inside_any! {
        0 (), 1 bool, 2 char, 3 i32, 4 i64, 5 u32, 6 u64, 7 usize, 8 f32, 9 f64, 10 String, 11 &'static str, 12 u8,
        13 Vec<i32>, 14 Vec<String>, 15 Vec<&'static str>, 16 Vec<f64>, 17 Vec<Box<dyn Any>>,
    }
    impl Get for &'static dyn Any {
        fn get(input: &mut &[u8]) -> &'static dyn Any {
            Box::leak(Box::<dyn Any>::get(input))
        }
    }
}
