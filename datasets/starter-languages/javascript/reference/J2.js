const initials = (name) => {
  const words = name.split(' ').filter((word) => word.length > 0);
  return words.map((word) => word[0].toUpperCase()).join('');
};
