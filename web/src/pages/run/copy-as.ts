import { callCommand, shellWord } from '../../ui/calls/call-command.ts'

export interface CopiedCall {
  readonly server: string
  readonly tool: string
  readonly agent: string | null
  /** A JSON object. */
  readonly args: string
  readonly endpoint: string
}

const VERSION = '2026-07-28'

/** The same call in other forms: for a shell, a script, or any program that speaks HTTP. */
export const COPIES: Readonly<Record<string, (call: CopiedCall) => string>> = {
  'portolan call': ({ args, endpoint, ...call }) =>
    callCommand(
      { ...call, client: null, isClient: false, onBehalfOf: null },
      oneLine(args),
      endpoint,
    ),
  script: ({ server, tool, args }) =>
    `return await tools${member(server)}${member(tool)}(${oneLine(args)})`,
  curl: ({ server, tool, agent, args, endpoint }) => {
    const name = `${server}__${tool}`
    const meta = {
      'io.modelcontextprotocol/protocolVersion': VERSION,
      'io.modelcontextprotocol/clientInfo': { name: 'curl', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const params = `{"name":${JSON.stringify(name)},"arguments":${oneLine(args)},"_meta":${JSON.stringify(meta)}}`
    const headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
      ...(agent !== null && { 'x-agent-id': agent }),
    }
    return [
      'curl',
      '-s',
      endpoint,
      ...Object.entries(headers).flatMap(([key, value]) => ['-H', `${key}: ${value}`]),
      '-d',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`,
    ]
      .map(shellWord)
      .join(' ')
  },
}

function member(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`
}

/** Without line ends between values; what stands in texts is escaped there. */
function oneLine(json: string): string {
  const text = json.trim()
  return text === '' ? '{}' : text.replaceAll(/\n\s*/g, ' ')
}
