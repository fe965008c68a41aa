public Map<String, Object> readProperties(Object bean) throws ReflectiveOperationException {
    Map<String, Object> properties = new TreeMap<>();
    for (Method method : bean.getClass().getMethods()) {
        String name = method.getName();
        Class<?> type = method.getReturnType();
        int prefix;
        if (name.startsWith("get") && type != void.class) {
            prefix = 3;
        } else if (name.startsWith("is") && type == boolean.class) {
            prefix = 2;
        } else {
            continue;
        }
        if (name.length() == prefix || name.equals("getClass") || method.getParameterCount() > 0
                || Modifier.isStatic(method.getModifiers())) {
            continue;
        }
        String property = Character.toLowerCase(name.charAt(prefix)) + name.substring(prefix + 1);
        properties.put(property, method.invoke(bean));
    }
    return properties;
}
