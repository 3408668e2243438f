interface Headed {
  readonly headers: { readonly cookie?: string | undefined }
}

/** Returns the value of a cookie that a browser sends, undecoded. */
export function cookieOf({ headers }: Headed, name: string): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const at = part.indexOf('=')
    if (at > 0 && part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}
