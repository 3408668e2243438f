import { execFileSync } from 'node:child_process'
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { JsonObject } from '../../src/base/json/json.ts'
import type {
  ProgressUpdate,
  Project,
  Service,
  ServiceContext,
} from '../../src/protocol/service.ts'
import type { CodeServiceOptions } from '../../src/builtins/code/create-code-deps.ts'
import { createLocalCodeService } from '../../src/builtins/code/create-code-service.ts'
import { tempFolder } from './temp-folder.ts'

export function aFolder(): string {
  return tempFolder().path
}

/** Writes these files to a folder, with times a minute ago, so that the times can be trusted. */
export function aProject(
  files: Readonly<Record<string, string | Buffer>>,
  root: string = aFolder(),
): string {
  const past = Date.now() / 1_000 - 60
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), content)
    utimesSync(join(root, path), past, past)
  }
  return root
}

export function git(root: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=t', '-c', 'user.email=t@t', '-c', 'init.defaultBranch=main']
  return execFileSync('git', ['-C', root, ...identity, ...args], { encoding: 'utf8' }).trim()
}

export interface CallOptions {
  readonly project?: Project
  readonly signal?: AbortSignal
  readonly isRemote?: boolean
  readonly progress?: (update: ProgressUpdate) => void
}

export interface CodeClient {
  readonly service: Service
  readonly home: string
  /** Returns the tool's answer as an agent reads it, parsed from the text. */
  call(tool: string, args?: JsonObject, options?: CallOptions): Promise<unknown>
  /** The same for tools that answer with a list of objects. */
  list(tool: string, args?: JsonObject, options?: CallOptions): Promise<Record<string, unknown>[]>
  object(tool: string, args?: JsonObject, options?: CallOptions): Promise<Record<string, unknown>>
  close(): Promise<void>
}

/** The code server with its own data folder, called as by the gateway; it ends with the test. */
export function aCodeClient(
  root: string,
  options: CodeServiceOptions & { service?: Service } = {},
): CodeClient {
  const home = options.home ?? aFolder()
  const service =
    options.service ?? createLocalCodeService({ home, background: false, env: {}, ...options })
  onTestFinished(async () => service.close())
  const call = async (
    tool: string,
    args: JsonObject = {},
    given: CallOptions = {},
  ): Promise<unknown> => {
    const result = await service.handle(
      'tools/call',
      { name: tool, arguments: args },
      aContext(root, given),
    )
    const content: unknown = result['content']
    const [first] = Array.isArray(content) ? content : []
    const text = String(first?.text)
    if (result['isError']) throw new Error(text)
    return JSON.parse(text)
  }
  return {
    service,
    home,
    call,
    // The tests know which shape they expect; a wrong one fails at the next line.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    list: async (...args) => (await call(...args)) as Record<string, unknown>[],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    object: async (...args) => (await call(...args)) as Record<string, unknown>,
    close: async () => service.close(),
  }
}

export function aContext(root: string, options: CallOptions = {}): ServiceContext {
  return {
    signal: options.signal ?? new AbortController().signal,
    agent: undefined,
    isRemote: options.isRemote ?? false,
    headers: {},
    project: async () => options.project ?? { path: root, source: 'roots' },
    progress: options.progress ?? (() => undefined),
  }
}

/** Returns only the results of a search, without context and hints. */
export function resultsOf(items: readonly Record<string, unknown>[]): Record<string, unknown>[] {
  return items.filter((item) => 'file_path' in item)
}

/** A small project in two languages. */
export const SHOP = {
  'src/cart.ts': `import { price } from './price.js'\n\n/** The basket of a customer. */\nexport class ShoppingCart {\n  items: string[] = []\n\n  /** Adds up what everything costs. */\n  totalPrice(): number {\n    return this.items.map(price).reduce((a, b) => a + b, 0)\n  }\n}\n`,
  'src/price.ts': `export function price(item: string): number {\n  return item.length\n}\n`,
  'src/checkout.py': `def checkout_cart(cart):\n    """Pay for the cart."""\n    return cart\n`,
  'package.json': '{"name":"shop"}',
}

/** A client of the shop, indexed. */
export async function anIndexedShop(options: Parameters<typeof aCodeClient>[1] = {}) {
  const root = aProject(SHOP)
  const client = aCodeClient(root, options)
  await client.call('index_codebase', { path: '.' })
  return { root, client }
}
