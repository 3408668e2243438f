/**
 * A server with an MCP App, made with the official packages: the page `ui://map/view.html` of `show_map`, and
 * tools for the page alone. Like the example in their documentation, it has them only for clients that
 * declare the extension. `--name NAME` is in all it says.
 */
import { readFileSync } from 'node:fs'
import {
  getUiCapability,
  registerAppResource,
  registerAppTool,
  RESOURCE_MIME_TYPE,
} from '@modelcontextprotocol/ext-apps/server'
import { McpServer } from '@modelcontextprotocol/server'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const name = process.argv[process.argv.indexOf('--name') + 1]
const uri = 'ui://map/view.html'
const text = (value) => ({ content: [{ type: 'text', text: value }] })

const server = new McpServer(
  { name, version: '1.0.0' },
  { capabilities: { tools: {}, resources: {} } },
)
server.registerTool(
  'weather',
  { description: `The weather in ${name}`, inputSchema: z.object({}) },
  () => text('Rain'),
)
server.server.oninitialized = () => {
  const { mimeTypes } = getUiCapability(server.server.getClientCapabilities()) ?? {}
  if (!mimeTypes?.includes(RESOURCE_MIME_TYPE)) return
  const tool = (toolName, description, ui) =>
    registerAppTool(
      server,
      toolName,
      { description, inputSchema: z.object({}), _meta: { ui } },
      () => text(`${toolName} of ${name}`),
    )
  tool('show_map', `Shows the map of ${name}`, { resourceUri: uri })
  tool(`refresh_${name}`, `Draws the map of ${name} anew`, {
    resourceUri: uri,
    visibility: ['app'],
  })
  tool(`erase_${name}`, `Erases the map of ${name}`, { resourceUri: uri, visibility: ['app'] })
  registerAppResource(server, 'Map', uri, {}, () => ({
    contents: [{ uri, mimeType: RESOURCE_MIME_TYPE, text: page() }],
  }))
}

/** A whole document, as hosts want it: the view of the official package is a part of it. */
function page() {
  const library = new URL(import.meta.resolve('@modelcontextprotocol/ext-apps/app-with-deps'))
  const source = JSON.stringify(readFileSync(library, 'utf8')).replaceAll('<', '\\u003c')
  return `<!doctype html>
<h1>The page of ${name}</h1>
<p id="result"></p><p id="refreshed"></p><p id="erased"></p><p id="read"></p>
<script type="module">
const show = (id, value) => (document.getElementById(id).textContent = value)
const code = new Blob([${source}], { type: 'text/javascript' })
const { App } = await import(URL.createObjectURL(code))
const app = new App({ name: 'view', version: '1.0.0' }, {})
app.ontoolresult = ({ content }) => show('result', content[0].text)
await app.connect()
const outcome = (asked, value) => asked.then(value, (error) => 'refused: ' + error.message)
const call = (tool) => app.callServerTool({ name: tool, arguments: {} })
const said = ({ isError, content }) => (isError ? 'refused: ' : '') + content[0].text
show('refreshed', await outcome(call('refresh_${name}'), said))
show('erased', await outcome(call('erase_${name}'), said))
</script>`
}

await server.connect(new StdioServerTransport())
