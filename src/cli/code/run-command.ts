import { Option } from '../shared/commander.ts'
import type { JsonObject } from '../../base/json/json.ts'

/** An option of the original that changes nothing here, so that its scripts go on working. */
export const accepted = <Flags extends string>(flags: Flags) => new Option(flags).hideHelp()

/** Collects the values of a repeatable option. */
export const collect = (value: string, all: readonly string[] = []): string[] => [...all, value]

/** Marks the process as failed without cutting off pending output. */
export function exitWith(isOk: boolean): void {
  if (!isOk) process.exitCode = 1
}

export interface ToolFlags {
  readonly json?: boolean
  readonly index?: string
}

/** Runs a tool. Imports heavy modules only now, so that `--help` and other commands start fast. */
export async function tool(
  name: string,
  args: JsonObject,
  flags: ToolFlags,
  isTree?: string,
): Promise<void> {
  const { runTool } = await import('./run-tool.ts')
  const { renderTree, renderValue } = await import('./render.ts')
  const { isObject } = await import('../../base/json/json.ts')
  const given = { ...args, ...(flags.index !== undefined && { index_name: flags.index }) }
  exitWith(
    await runTool(name, given, {
      json: flags.json ?? false,
      render: (value, paint) => {
        const tree = isTree !== undefined && isObject(value) ? value[isTree] : undefined
        return isObject(tree) ? renderTree(tree, paint) : renderValue(value, paint)
      },
    }),
  )
}
