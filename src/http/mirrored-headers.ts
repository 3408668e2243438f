import type { IncomingHttpHeaders } from 'node:http'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import type { JsonObject } from '../base/json/json.ts'
import { NAMED_BY, decodeHeader } from '../protocol/param-headers.ts'
import { META, metaOf } from '../protocol/versions.ts'

/** The modern era repeats parts of the body in headers; whoever routes by them must not be fooled. */
export function checkMirroredHeaders(
  headers: IncomingHttpHeaders,
  method: string,
  params: JsonObject,
): void {
  mustEqual('MCP-Protocol-Version', headers['mcp-protocol-version'], metaOf(params)[META.version])
  mustEqual('Mcp-Method', headers['mcp-method'], method)
  const field = NAMED_BY[method]
  if (field !== undefined) mustEqual('Mcp-Name', nameOf(headers['mcp-name']), params[field])
}

function mustEqual(header: string, value: string | string[] | undefined, expected: unknown): void {
  if (value === expected) return
  const problem =
    value === undefined
      ? `required header ${header} is missing`
      : `${header} header value '${value.toString()}' does not match body value '${String(expected)}'`
  throw new RpcError(RPC.headerMismatch, `Header mismatch: ${problem}`)
}

function nameOf(value: string | string[] | undefined): string | undefined {
  const text = Array.isArray(value) ? value[0] : value
  return text === undefined ? undefined : (decodeHeader(text) ?? text)
}
