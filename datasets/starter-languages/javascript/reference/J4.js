const secondLargest = (numbers, missing) => {
  const different = [...new Set(numbers)].sort((a, b) => b - a);
  return different.length > 1 ? different[1] : missing;
};
