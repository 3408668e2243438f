import { parseToolRef, toolKey } from '../gateway/tool-ref.ts'

/** What the settings say of a tool: under its own name, or under all tools of its server. */
export function toolSettings<Value>(
  settings: Readonly<Record<string, Value>>,
  servers: Iterable<string>,
): (server: string, tool: string) => Value | undefined {
  const known = [...servers]
  const values = new Map<string, Value>()
  for (const [text, value] of Object.entries(settings)) {
    const [ref] = parseToolRef(text, known)
    if (ref) values.set(toolKey(ref), value)
  }
  if (values.size === 0) return () => undefined
  return (server, name) =>
    values.get(toolKey({ server, name })) ?? values.get(toolKey({ server, name: '*' }))
}
