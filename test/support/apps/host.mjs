/**
 * A host of MCP Apps in a browser, made with the official packages: it asks the gateway for tools, calls
 * each that has a page, and shows the page.
 */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import {
  AppBridge,
  getToolUiResourceUri,
  isToolVisibilityAppOnly,
  PostMessageTransport,
  RESOURCE_MIME_TYPE,
} from '@modelcontextprotocol/ext-apps/app-bridge'

const INFO = { name: 'host', version: '1.0.0' }
const { era, agent, extension } = Object.fromEntries(new URLSearchParams(location.search))

async function connect() {
  const client = new Client(INFO, {
    capabilities:
      extension === 'none'
        ? {}
        : { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [RESOURCE_MIME_TYPE] } } },
    versionNegotiation: { mode: era === 'legacy' ? 'legacy' : { pin: '2026-07-28' } },
  })
  const requestInit = { headers: { 'x-agent-id': agent } }
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', location.href), { requestInit }),
  )
  return client
}

async function showApp(tool) {
  // One for each page: a bridge takes over the notifications of its client.
  const client = await connect()
  const result = await client.callTool({ name: tool.name, arguments: {} })
  const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) })
  const [page] = contents
  if (page.mimeType !== RESOURCE_MIME_TYPE) throw new Error(`${page.uri} is no page`)
  const frame = document.createElement('iframe')
  frame.name = tool.name
  frame.setAttribute('sandbox', 'allow-scripts')
  document.body.append(frame)
  const bridge = new AppBridge(client, INFO, { serverTools: {}, serverResources: {} })
  bridge.oninitialized = () => {
    void bridge.sendToolInput({ arguments: {} })
    void bridge.sendToolResult(result)
  }
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.srcdoc = page.text
}

const { tools } = await (await connect()).listTools()
const forModel = tools.filter((tool) => !isToolVisibilityAppOnly(tool))
globalThis.tools = { all: tools, forModel }
for (const tool of forModel) if (getToolUiResourceUri(tool)) await showApp(tool)
globalThis.isDone = true
