#[test]
fn test_second_largest() {
    assert_eq!(second_largest(vec![1, 5, 3], -1), 3);
    assert_eq!(second_largest(vec![5, 5, 4], -1), 4);
    assert_eq!(second_largest(vec![2, 2], -1), -1);
    assert_eq!(second_largest(vec![], 7), 7);
    assert_eq!(second_largest(vec![-1, -2, -3], 0), -2);
}
