#[test]
fn test_clamp() {
    assert_eq!(clamp(5, 1, 10), 5);
    assert_eq!(clamp(10, 1, 10), 10);
    assert_eq!(clamp(-3, 1, 10), 1);
    assert_eq!(clamp(99, 1, 10), 10);
    assert_eq!(clamp(9, 4, 4), 4);
}
