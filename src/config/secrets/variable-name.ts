/** `github-token` → `GITHUB_TOKEN`. */
export function variableName(...words: readonly string[]): string {
  const name = words
    .join('_')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[\W_]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .toUpperCase()
  return /^\d/.test(name) ? `_${name}` : name
}
