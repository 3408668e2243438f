import { didYouMean } from '../../base/text/nearest.ts'
import { GatewayError } from '../errors.ts'
import type { ToolRef } from '../tools/tool-ref.ts'
import type { Vanished } from './tool-history.ts'

export interface VanishedTool {
  readonly ref: ToolRef
  readonly vanished: Vanished
  /** What the caller may use instead. */
  readonly names: readonly string[]
  /** A tool of the same server, as the caller would call it. */
  readonly nameOf: (name: string) => string
}

/** A tool that the caller was shown is gone: since when, and what took its place. */
export function toVanished({ ref, vanished, names, nameOf }: VanishedTool): GatewayError {
  const { server, name } = ref
  const { at, withServer, successor } = vanished
  const since = new Date(at).toISOString()
  const replacedBy = successor && nameOf(successor.name)
  const message = withServer
    ? `Tool '${name}' is gone: server '${server}' is not configured any more since ${since}`
    : `Tool '${name}' is gone: server '${server}' does not list it any more since ${since}`
  return new GatewayError('TOOL_NOT_FOUND', message, {
    hint: successor
      ? `Call '${replacedBy}' instead: it is new on this server, with the same ${successor.alike}.`
      : (didYouMean(name, names) ?? whereToLook(withServer, server)),
    reason: 'tool_vanished',
    data: {
      vanished_at: since,
      ...(replacedBy !== undefined && { replaced_by: replacedBy }),
    },
  })
}

/** Where an agent sees what there is: everything, or what one server has. */
export function whereToLook(everywhere: boolean, server: string | undefined): string {
  return everywhere || server === undefined
    ? 'Call tools/list to see what there is.'
    : `Call get_server_tools for '${server}' to see what there is.`
}
