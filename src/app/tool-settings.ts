/** What the settings say of a tool: under its own name, or under all tools of its server. */
export function toolSettings<Value>(
  settings: Readonly<Record<string, Value>>,
): (server: string, tool: string) => Value | undefined {
  if (Object.keys(settings).length === 0) return () => undefined
  return (server, tool) => settings[`${server}.${tool}`] ?? settings[`${server}.*`]
}
