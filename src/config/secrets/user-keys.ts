const USER_KEY = /\$\{user\.([A-Za-z_]\w*)\}/g

/** Whether the name between `${` and `}` stands for a key of the person who calls. */
export function isUserKey(reference: string): boolean {
  return /^user\.[A-Za-z_]\w*$/.test(reference)
}

/** Returns the personal keys that strings refer to, as in `${user.NAME}`. */
export function userKeysIn(strings: Readonly<Record<string, string>> = {}): string[] {
  const found = Object.values(strings).flatMap((text) =>
    [...text.matchAll(USER_KEY)].map(([, name = '']) => name),
  )
  return [...new Set(found)]
}

/** Substitutes the keys of one person in the strings. */
export function withUserKeys(
  strings: Readonly<Record<string, string>>,
  keys: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(strings).map(([name, text]) => [
      name,
      text.replaceAll(USER_KEY, (whole, key: string) => keys[key] ?? whole),
    ]),
  )
}
