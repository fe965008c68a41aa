public String toQueryString(Map<String, String> params) {
    if (params == null) {
        return "";
    }
    StringJoiner query = new StringJoiner("&");
    for (Map.Entry<String, String> param : params.entrySet()) {
        String name = URLEncoder.encode(param.getKey(), StandardCharsets.UTF_8).replace("+", "%20");
        if (param.getValue() == null) {
            query.add(name);
        } else {
            query.add(name + "=" + URLEncoder.encode(param.getValue(), StandardCharsets.UTF_8).replace("+", "%20"));
        }
    }
    return query.toString();
}
