/** `--name value` and `--name` from the command line. */
export const flags = Object.fromEntries(
  [
    ...process.argv
      .slice(2)
      .join('\0')
      .matchAll(/--([a-z-]+)(?:[\0=](?!--)([^\0]+?))?(?=\0--|\0?$)/g),
  ].map(([, name, value]) => [name, value ?? true]),
)
