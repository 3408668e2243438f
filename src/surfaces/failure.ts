import { GatewayError } from '../gateway/errors.ts'
import { RPC, RpcError } from '../protocol/json-rpc.ts'
import { type JsonObject, isObject } from '../base/json/json.ts'
import { stringifyExact } from '../base/json/exact-json.ts'

/** Whether an error is for the client, which asks the person for more; HTTP has a status for it. */
export function isForTransport({ code }: GatewayError): boolean {
  return code === 'INSUFFICIENT_SCOPE'
}

const ERROR_META = 'portolan/error'

/** Returns a failure as a tool result, the only form of error that a model gets to read. */
export function toToolError(error: GatewayError): JsonObject {
  const { result } = error.details
  return result ?? { ...inProse(error), structuredContent: { error: error.toObject() } }
}

/**
 * Returns a failure as the result of a tool that promises an output schema. Clients of the first
 * SDK check the structured content of errors too, and drop the whole result if it does not match.
 */
export function toPromisedToolError(error: GatewayError): JsonObject {
  const { result } = error.details
  return result ?? { ...inProse(error), _meta: { [ERROR_META]: error.toObject() } }
}

function inProse(error: GatewayError): JsonObject {
  return { content: [{ type: 'text', text: toProse(error) }], isError: true }
}

/** Returns the error of an upstream as the result of `execute_tool`. */
export function toExecutionError(error: RpcError): JsonObject {
  const { code, message, data } = error
  return {
    content: [{ type: 'text', text: `Tool execution failed: ${message}` }],
    structuredContent: {
      error: {
        code: 'UPSTREAM_ERROR',
        rpc_code: code,
        message,
        ...(data !== undefined && { data }),
      },
    },
    isError: true,
  }
}

/** Returns a failure of anything but a tool call as a JSON-RPC error. */
export function toRpcError(error: GatewayError): RpcError {
  const { hint } = error.details
  const code = error.code === 'TOOL_NOT_FOUND' ? RPC.invalidParams : error.rpcCode
  const message =
    hint === undefined ? error.message : `${error.message.replace(/\.$/, '')}. ${hint}`
  return new RpcError(code, message, error.toObject(), { cause: error })
}

/** Includes all that is needed to call again, since many clients show a model only the text. */
function toProse({ message, details: { hint, data = {} } }: GatewayError): string {
  const { problems, coerced, example, output } = data
  const lines = [
    message,
    ...(Array.isArray(problems) ? problems.map(describeProblem) : []),
    ...(Array.isArray(coerced) ? [`Read as: ${coerced.join('; ')}`] : []),
    ...(example === undefined ? [] : [`Example: ${stringifyExact(example)}`]),
    ...(Array.isArray(output) ? ['It wrote:', ...output.map((line) => `| ${line}`)] : []),
    ...(hint === undefined ? [] : [hint]),
  ]
  return lines.join('\n')
}

function describeProblem(problem: unknown): string {
  if (!isObject(problem)) return `- ${String(problem)}`
  const { path, expected, got, did_you_mean: meant } = problem
  const suggestion = typeof meant === 'string' ? `; did you mean ${meant}?` : ''
  return `- ${String(path)}: expected ${String(expected)}, got ${String(got)}${suggestion}`
}
