/** What the test upstream has beside plain tools when it is started with --extras: tasks, a page, a skill. */
import { createHash } from 'node:crypto'

const TASKS = 'io.modelcontextprotocol/tasks'
const SKILLS = 'io.modelcontextprotocol/skills'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const PAGE = 'ui://page/view.html'
const SKILL = 'skill://notes/SKILL.md'
const POLL_MS = 50

const text = (words) => ({ content: [{ type: 'text', text: words }] })

export class Extras {
  #name
  #tasks = new Map()

  constructor(name) {
    this.#name = name
  }

  /** Beside what every upstream declares; each era says tasks in its own way. */
  capabilities(modern) {
    return {
      extensions: { [SKILLS]: {}, ...(modern && { [TASKS]: {} }) },
      ...(!modern && { tasks: { cancel: {}, requests: { tools: { call: {} } } } }),
    }
  }

  tools() {
    return {
      job: {
        description: 'Runs as a task and not otherwise',
        properties: { ms: { type: 'number' } },
        more: { execution: { taskSupport: 'required' } },
        run: (args, call) => this.#start(args, call),
      },
      show_page: {
        description: 'Has a page',
        properties: {},
        more: { _meta: { ui: { resourceUri: PAGE } } },
        run: () => text(`shown by ${this.#name}`),
      },
    }
  }

  resources() {
    return [{ uri: PAGE, name: 'page', mimeType: 'text/html;profile=mcp-app' }]
  }

  read(uri) {
    if (uri === PAGE)
      return {
        uri,
        mimeType: 'text/html;profile=mcp-app',
        text: `<p>The page of ${this.#name}</p>`,
      }
    return uri === SKILL ? { uri, mimeType: 'text/markdown', text: this.#skill() } : undefined
  }

  /** The answer to a request that only such a server knows. */
  answer(method, { taskId, uri }, call) {
    if (method === 'skills/list') return { skills: [this.#entry()] }
    if (method === 'skills/get' && uri === SKILL) return { skill: this.#entry() }
    if (!method.startsWith('tasks/')) return undefined
    const task = this.#tasks.get(taskId)
    if (!task) return call.fail(-32_602, 'Task not found')
    if (method === 'tasks/get') return this.#describe(task, call)
    if (method === 'tasks/result') return task.done
    if (method !== 'tasks/cancel') return undefined
    if (task.status === 'working') task.status = 'cancelled'
    return call.modern ? {} : this.#describe(task, call)
  }

  #start({ ms = 50 }, call) {
    const declared = call.meta[CAPABILITIES]?.extensions?.[TASKS]
    if (call.modern && !declared) {
      const requiredCapabilities = { extensions: { [TASKS]: {} } }
      return call.fail(-32_021, 'Missing required capability', { requiredCapabilities })
    }
    if (!call.modern && !call.params.task) return call.fail(-32_601, 'Only as a task')
    const result = text(`done by ${this.#name}`)
    const task = { taskId: `task-${this.#tasks.size + 1}`, status: 'working', at: new Date() }
    task.done = new Promise((resolve) => {
      setTimeout(() => {
        if (task.status === 'working') Object.assign(task, { status: 'completed', result })
        resolve(result)
      }, ms)
    })
    this.#tasks.set(task.taskId, task)
    const { result: _result, ...created } = this.#describe(task, call)
    return call.modern ? { resultType: 'task', ...created } : { task: created }
  }

  #describe({ taskId, status, at, result }, { modern }) {
    const times = { createdAt: at.toISOString(), lastUpdatedAt: new Date().toISOString() }
    const known = { taskId, status, ...times }
    return modern
      ? { ...known, ttlMs: 600_000, pollIntervalMs: POLL_MS, ...(result && { result }) }
      : { ...known, ttl: 600_000, pollInterval: POLL_MS }
  }

  #skill() {
    return `---\nname: notes\ndescription: Take notes as ${this.#name} does\n---\n\nOf ${this.#name}.\n`
  }

  #entry() {
    const bytes = Buffer.from(this.#skill())
    const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`
    return {
      uri: SKILL,
      frontmatter: { name: 'notes', description: `Take notes as ${this.#name} does` },
      resources: [{ uri: SKILL, digest, size: bytes.length }],
    }
  }
}
