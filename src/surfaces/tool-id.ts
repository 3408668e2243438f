import type { Tool } from '../gateway/upstream.ts'

/** Names one tool among those of all servers. */
export function toolId({ server, name }: Pick<Tool, 'server' | 'name'>): string {
  return `${server}\n${name}`
}
