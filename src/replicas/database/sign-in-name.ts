/** The name of a sign-in among the secrets: that of the file it would be in. */
export function signInName(file: string): string {
  return `oauth:${file}`
}
