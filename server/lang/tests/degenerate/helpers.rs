
trait Size {
    fn size(&self) -> i64;
}
macro_rules! numbers {
    ($($kind:ident)*) => {$(impl Size for $kind { fn size(&self) -> i64 { *self as i64 } })*};
}
numbers!(i32 i64 u32 f32 f64);
impl Size for str { fn size(&self) -> i64 { self.len() as i64 } }
impl Size for String { fn size(&self) -> i64 { self.len() as i64 } }
impl<T> Size for Vec<T> { fn size(&self) -> i64 { self.len() as i64 } }
impl<K, V> Size for HashMap<K, V> { fn size(&self) -> i64 { self.len() as i64 } }
impl<T: Size + ?Sized> Size for &T { fn size(&self) -> i64 { (**self).size() } }

fn size<T: Size>(value: &T) -> i64 { value.size() }
fn reversed<T: Clone>(list: &[T]) -> Vec<T> { list.iter().rev().cloned().collect() }
fn sorted<T: Clone + PartialOrd>(list: &[T]) -> Vec<T> {
    let mut copied = list.to_vec();
    copied.sort_by(|a, b| a.partial_cmp(b).unwrap_or(std::cmp::Ordering::Equal));
    copied
}
fn sorted_down<T: Clone + PartialOrd>(list: &[T]) -> Vec<T> { reversed(&sorted(list)) }
fn doubled<T: Clone>(list: &[T]) -> Vec<T> { [list, list].concat() }
fn without_first<T: Clone>(list: &[T]) -> Vec<T> { list.iter().skip(1).cloned().collect() }
fn without_last<T: Clone>(list: &[T]) -> Vec<T> { list.iter().take(list.len().saturating_sub(1)).cloned().collect() }
fn first_only<T: Clone>(list: &[T]) -> Vec<T> { list.iter().take(1).cloned().collect() }
fn last_only<T: Clone>(list: &[T]) -> Vec<T> { list.iter().skip(list.len().saturating_sub(1)).cloned().collect() }
fn letters_of(text: &str) -> Vec<char> { text.chars().collect() }
fn reversed_text(text: &str) -> String { reversed(&letters_of(text)).iter().collect() }
fn sorted_text(text: &str) -> String { sorted(&letters_of(text)).iter().collect() }
fn sorted_down_text(text: &str) -> String { sorted_down(&letters_of(text)).iter().collect() }
fn doubled_text(text: &str) -> String { text.repeat(2) }
fn without_first_text(text: &str) -> String { without_first(&letters_of(text)).iter().collect() }
fn without_last_text(text: &str) -> String { without_last(&letters_of(text)).iter().collect() }
fn first_only_text(text: &str) -> String { first_only(&letters_of(text)).iter().collect() }
fn last_only_text(text: &str) -> String { last_only(&letters_of(text)).iter().collect() }
fn first_of<T: Clone>(list: &[T], other: T) -> T { list.first().cloned().unwrap_or(other) }
fn last_of<T: Clone>(list: &[T], other: T) -> T { list.last().cloned().unwrap_or(other) }
fn copies<T: Clone>(item: T, count: i64) -> Vec<T> { vec![item; count.clamp(0, 1000) as usize] }
fn as_text(number: i64) -> String { number.to_string() }
fn letters(count: i64) -> String { "a".repeat(count.clamp(0, 1000) as usize) }
fn leaked(text: String) -> &'static str { Box::leak(text.into_boxed_str()) }
