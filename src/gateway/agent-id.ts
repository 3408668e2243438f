const AGENT_ID = /^[a-zA-Z0-9_.-]+$/

export function isAgentId(text: string): boolean {
  return AGENT_ID.test(text)
}
