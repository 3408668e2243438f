/** Where a client connects, and the toolset that it asks for. */
export interface EndpointOf {
  /** The path without the name of a toolset. */
  readonly path: string
  readonly toolset: string | undefined
}

/**
 * Reads `/mcp/frontend` as the toolset `frontend` at `/mcp`; `?toolset=` means the same. People write
 * addresses with and without a trailing slash.
 */
export function endpointOf(
  { pathname, searchParams }: Pick<URL, 'pathname' | 'searchParams'>,
  endpoints: readonly string[],
): EndpointOf {
  const asked = searchParams.get('toolset') || undefined
  for (const path of endpoints) {
    if (pathname === path || pathname === `${path}/`) return { path, toolset: asked }
    const [name, rest] = pathname.startsWith(`${path}/`)
      ? pathname.slice(path.length + 1).split('/', 2)
      : []
    if (name && !rest) return { path, toolset: decoded(name) }
  }
  return { path: pathname, toolset: asked }
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
