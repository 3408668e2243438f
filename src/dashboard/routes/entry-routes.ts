import { z } from 'zod'
import { editJson } from '../../base/json/edit-json.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'
import { parseJson } from '../../config/parse-text.ts'
import type { EntryChange } from '../../config/servers/edit-entry.ts'
import { HttpError } from '../../http/http-error.ts'
import type { ToolWords } from '../contract/additions.ts'
import { text } from '../inputs.ts'
import { recordChange } from '../record-change.ts'
import { type Route, defineRoute } from '../route.ts'
import type { Sources } from '../sources.ts'
import type { Visitor } from '../access/visitor.ts'
import { authorOf, mustBeInFiles } from './history-routes.ts'

const MAX_ENTRY = 200_000
const MAX_TEXT = 10_000
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,63}$/u
const words = z.object({
  name: z.string().max(64).nullable(),
  description: z.string().max(MAX_TEXT).nullable(),
  hidden: z.boolean().nullable(),
})

/** The entries of servers in their files. Their code is loaded when used. */
export function entryRoutes(sources: Sources): Route[] {
  return [
    defineRoute('GET /servers/:server/entry', {
      role: 'viewer',
      async answer({ params: { server = '' } }) {
        const file = fileOf(server, sources)
        const { readEntry } = await import('../../config/servers/edit-entry.ts')
        const { entry, digest } = readEntry(file, server)
        const shown = sources.secrets.hideJson(JSON.stringify(entry))
        return { file, digest, entry: JSON.stringify(JSON.parse(shown), null, 2) }
      },
    }),
    defineRoute('POST /servers/:server/entry', {
      role: 'admin',
      body: z.object({ entry: z.string().max(MAX_ENTRY), digest: text }),
      async answer({ visitor, params: { server = '' }, body: { entry = '', digest } }) {
        const wanted = readObject(entry)
        return change(sources, visitor, {
          server,
          reason: `server edit ${server}`,
          expected: digest,
          edit: () => wanted,
        })
      },
    }),
    defineRoute('POST /servers/:server/duplicate', {
      role: 'admin',
      body: z.object({ name: z.string().regex(NAME, 'takes letters, digits, ".", "_" and "-"') }),
      async answer({ visitor, params: { server = '' }, body: { name = '' } }) {
        const file = fileOf(server, sources)
        const { changeFile } = await import('../../config/history/change-file.ts')
        const { version, diff } = await changeFile(mustBeInFiles(sources), {
          file,
          by: authorOf(visitor),
          reason: `server duplicate ${server} ${name}`,
          edit: (before) => {
            const entries = entriesIn(before)
            if (Object.hasOwn(entries, name))
              throw new HttpError(409, 'NAME_TAKEN', `${file} has a server '${name}' already`)
            return editJson(before, ['mcpServers', name], entries[server])
          },
        })
        recordChange(sources, visitor, 'servers.add', { server: name, file })
        await sources.reload()
        return { file, version: version ?? null, diff }
      },
    }),
    defineRoute('POST /servers/:server/tools/:tool', {
      role: 'admin',
      body: words,
      async answer({ visitor, params: { server = '', tool = '' }, body }) {
        const wanted = words.parse(body)
        return change(sources, visitor, {
          server,
          reason: `server tools ${server} ${tool}`,
          edit: (entry) => withWords(entry, tool, wanted),
        })
      },
    }),
  ]
}

interface Wanted extends Pick<EntryChange, 'reason' | 'expected' | 'edit'> {
  readonly server: string
}

async function change(sources: Sources, visitor: Visitor, { server, ...wanted }: Wanted) {
  const file = fileOf(server, sources)
  const { changeEntry } = await import('../../config/servers/edit-entry.ts')
  const { home } = sources.config.settings
  const by = authorOf(visitor)
  const place = mustBeInFiles(sources)
  const { version, diff } = await changeEntry(place, { file, name: server, home, by, ...wanted })
  if (version !== undefined)
    recordChange(sources, visitor, 'servers.edit', { server, file, version })
  await sources.reload()
  return { file, version: version ?? null, diff }
}

/** Returns the file with the entry of a server; throws if pages cannot change it there. */
function fileOf(server: string, { config, files }: Sources): string {
  mustBeInFiles({ files })
  const file = config.origins.servers.get(server)
  if (file === undefined)
    throw new HttpError(404, 'SERVER_NOT_FOUND', `No servers file has an entry of '${server}'`)
  const untrusted = config.leftOut.find(({ path }) => path === file)
  // What is in force is not what the file says.
  if (untrusted) throw new HttpError(409, 'NOT_TRUSTED', untrusted.message, untrusted.command)
  return file
}

/** Sets what the entry says of one tool, and leaves no empty object behind. */
function withWords(entry: JsonObject, tool: string, wanted: ToolWords): JsonObject {
  const { tools: before, ...rest } = entry
  if (Array.isArray(before))
    throw new HttpError(
      409,
      'NOT_EDITABLE',
      'The entry has a list as its "tools"',
      'Edit its JSON.',
    )
  const all = isObject(before) ? before : {}
  const own = isObject(all[tool]) ? all[tool] : {}
  const said = Object.entries({ ...own, ...wanted }).filter(([, value]) => value !== null)
  const others = Object.entries(all).filter(([name]) => name !== tool || said.length > 0)
  const tools = Object.fromEntries(others)
  if (said.length > 0) tools[tool] = Object.fromEntries(said)
  return Object.keys(tools).length === 0 ? rest : { ...entry, tools }
}

function readObject(json: string): JsonObject {
  let value: unknown
  try {
    value = parseJson(json)
  } catch (error) {
    throw new HttpError(400, 'INVALID_PARAMS', `The entry ${String(Object(error)['message'])}`)
  }
  if (isObject(value)) return value
  throw new HttpError(400, 'INVALID_PARAMS', 'The entry is no JSON object')
}

function entriesIn(content: string): JsonObject {
  const { mcpServers } = readObject(content)
  return isObject(mcpServers) ? mcpServers : {}
}
