/** A `Map`, a `WeakMap` or a cache. */
interface Keyed<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): unknown
}

/** Returns the value under a key; makes and stores it if there is none yet. */
export function getOrMake<Key, Value>(
  map: Keyed<Key, Value>,
  key: Key,
  make: () => NoInfer<Value>,
): Value {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

/** Groups items by a key, each group in the order they came. */
export function groupBy<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) getOrMake(groups, keyOf(item), () => []).push(item)
  return groups
}
