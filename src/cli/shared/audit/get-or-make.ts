/** What a map holds under a key; made, and kept, where it holds nothing yet. */
export function getOrMake<Value>(map: Map<string, Value>, key: string, make: () => Value): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
