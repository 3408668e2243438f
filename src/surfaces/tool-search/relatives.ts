import type { Tool } from '../../gateway/upstream.ts'
import { thingsOf } from './action.ts'

/**
 * Returns the words of a tool's name that others do without: `createProjectStatus` has "status"
 * beyond `createProject`, which is more likely to be meant if nobody asks for a status.
 */
export function beyondOthers(tools: readonly Tool[]): readonly (readonly string[])[] {
  const named = tools.map((tool) => ({ server: tool.server, things: thingsOf(tool) }))
  return named.map(({ server, things }) => {
    const basic = named
      .filter((other) => other.server === server && isBeginning(other.things, things))
      .map((other) => other.things.length)
    return basic.length === 0 ? [] : things.slice(Math.min(...basic))
  })
}

function isBeginning(start: readonly string[], whole: readonly string[]): boolean {
  return (
    start.length > 0 && start.length < whole.length && start.every((word, at) => word === whole[at])
  )
}
