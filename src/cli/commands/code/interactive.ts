import { createInterface } from 'node:readline/promises'
import { isObject } from '../../../protocol/json-rpc.ts'
import { openCodeSession } from './code-session.ts'
import { createPaint } from './paint.ts'
import { renderSearch, renderValue } from './render.ts'
import { type SearchFlags, toInput } from './run-search.ts'

const HELP = `:limit N   :lang X   :context N   :index X   :indexes X,Y   :searchall   :help   quit`

type Settings = { -readonly [Key in keyof SearchFlags]: SearchFlags[Key] }

/** Ask, read, ask again: the index is loaded once. */
export async function runInteractive(flags: SearchFlags): Promise<void> {
  const paint = createPaint()
  const session = openCodeSession()
  const settings: Settings = { ...flags }
  const lines = createInterface({
    input: process.stdin,
    output: process.stdout,
    terminal: process.stdin.isTTY,
  })
  const prompt = (): void => {
    lines.setPrompt(paint('cyan', `${settings.indexes ?? settings.index ?? 'project'}> `))
    lines.prompt()
  }
  try {
    process.stdout.write(`${paint('gray', HELP)}\n`)
    prompt()
    for await (const raw of lines) {
      const line = raw.trim()
      if (line === 'quit' || line === 'exit') break
      if (line !== '') process.stdout.write(`${await answer(line, settings, session, paint)}\n`)
      prompt()
    }
  } finally {
    lines.close()
    await session.close()
  }
}

async function answer(
  line: string,
  settings: Settings,
  session: ReturnType<typeof openCodeSession>,
  paint: ReturnType<typeof createPaint>,
): Promise<string> {
  if (!line.startsWith(':')) {
    const items = await session.call('search_code', { ...toInput(line, settings) })
    return renderSearch(Array.isArray(items) ? items.filter(isObject) : [], paint)
  }
  const [command = '', value = ''] = line.split(/\s+/, 2)
  if (command === ':searchall') {
    const all = await session.call('list_indexes', {})
    settings.indexes = (Array.isArray(all) ? all : []).map(({ name }) => String(name)).join(',')
    return `searching ${settings.indexes}`
  }
  const change = COMMANDS[command]
  if (!change) return HELP
  Object.assign(settings, change(value))
  return renderValue(change(value), paint)
}

const COMMANDS: Readonly<Record<string, (value: string) => Partial<Settings>>> = {
  ':limit': (limit) => ({ limit }),
  ':lang': (lang) => ({ lang }),
  ':context': (context) => ({ context }),
  ':index': (index) => ({ index }),
  ':indexes': (indexes) => ({ indexes }),
}
