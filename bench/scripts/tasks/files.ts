import { dataFiles, LOG, ORDERS } from '../data.ts'
import { type Task, tally, top } from '../task.ts'

const READ = 'read a text file'

/** Tasks over files in `input.folder`, with the official filesystem server. */
export const FILE_TASKS: readonly Task[] = [
  {
    name: 'revenue over all regions',
    kind: 'aggregation',
    find: `list a directory; ${READ}`,
    needs: ['files.list_directory', 'files.read_text_file'],
    code: `const { content } = await tools.files.list_directory({ path: input.folder + '/orders' })
const names = content.match(/[a-z]+\\.json/g)
let sum = 0
for (const name of names) {
  const file = await tools.files.read_text_file({ path: input.folder + '/orders/' + name })
  for (const { quantity, price } of JSON.parse(file.content)) sum += quantity * price
}
return sum`,
    expected: () => ORDERS.reduce((sum, { quantity, price }) => sum + quantity * price, 0),
  },
  {
    name: 'errors on each of ten days',
    kind: 'aggregation',
    find: `list a directory; ${READ}`,
    needs: ['files.list_directory', 'files.read_text_file'],
    code: `const { content } = await tools.files.list_directory({ path: input.folder + '/logs' })
const names = content.match(/[\\d-]+\\.log/g)
const files = await parallel(names.map((name) => () => tools.files.read_text_file({ path: input.folder + '/logs/' + name })))
return Object.fromEntries(names.map((name, n) => [name, files[n].content.match(/ERROR/g)?.length ?? 0]))`,
    expected: () =>
      Object.fromEntries(
        Array.from({ length: 10 }, (_, n) => [
          `2026-03-${n + 10}.log`,
          LOG.filter(({ day, level }) => day === n + 10 && level === 'ERROR').length,
        ]),
      ),
  },
  {
    name: 'the slowest request of ten days',
    kind: 'lookup',
    find: READ,
    needs: ['files.read_text_file'],
    code: `let slowest = { ms: -1 }
for (let day = 10; day < 20; day++) {
  const { content } = await tools.files.read_text_file({ path: input.folder + '/logs/2026-03-' + day + '.log' })
  for (const [, part, ms] of content.matchAll(/(\\w+) took (\\d+) ms/g)) if (Number(ms) > slowest.ms) slowest = { day, part, ms: Number(ms) }
}
return slowest`,
    expected: () => {
      const [first] = LOG.toSorted((a, b) => b.ms - a.ms)
      return { day: first?.day, part: first?.part, ms: first?.ms }
    },
  },
  {
    name: 'a table of revenue by item',
    kind: 'filter and write',
    find: `${READ}; write a file`,
    needs: ['files.read_text_file', 'files.write_file'],
    code: `const sums = {}
for (const region of ['north', 'south', 'east', 'west']) {
  const { content } = await tools.files.read_text_file({ path: input.folder + '/orders/' + region + '.json' })
  for (const { item, quantity, price } of JSON.parse(content)) sums[item] = (sums[item] ?? 0) + quantity * price
}
const rows = Object.keys(sums).sort().map((item) => item + ',' + sums[item])
await tools.files.write_file({ path: input.folder + '/out/revenue.csv', content: rows.join('\\n') })
return rows.length`,
    expected: () => new Set(ORDERS.map(({ item }) => item)).size,
    writes: () => 1,
  },
  {
    name: 'a file of orders for each buyer',
    kind: 'filter and write',
    find: `${READ}; write a file`,
    needs: ['files.read_text_file', 'files.write_file'],
    code: `const byBuyer = {}
for (const region of ['north', 'south', 'east', 'west']) {
  const { content } = await tools.files.read_text_file({ path: input.folder + '/orders/' + region + '.json' })
  for (const order of JSON.parse(content)) (byBuyer[order.buyer] ??= []).push(order.id)
}
for (const [buyer, ids] of Object.entries(byBuyer))
  await tools.files.write_file({ path: input.folder + '/out/' + buyer + '.txt', content: ids.join('\\n') })
return Object.keys(byBuyer).length`,
    expected: () => new Set(ORDERS.map(({ buyer }) => buyer)).size,
    writes: () => new Set(ORDERS.map(({ buyer }) => buyer)).size,
  },
  {
    name: 'the buyer with the most orders',
    kind: 'aggregation',
    find: READ,
    needs: ['files.read_text_file'],
    code: `const counts = {}
for (const region of ['north', 'south', 'east', 'west']) {
  const { content } = await tools.files.read_text_file({ path: input.folder + '/orders/' + region + '.json' })
  for (const { buyer } of JSON.parse(content)) counts[buyer] = (counts[buyer] ?? 0) + 1
}
return Object.entries(counts).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0][0]`,
    expected: () => top(tally(ORDERS, ({ buyer }) => buyer)),
  },
  {
    name: 'warnings of one part, copied to a file',
    kind: 'filter and write',
    find: `${READ}; write a file`,
    needs: ['files.read_text_file', 'files.write_file'],
    code: `const lines = []
for (let day = 10; day < 20; day++) {
  const { content } = await tools.files.read_text_file({ path: input.folder + '/logs/2026-03-' + day + '.log' })
  lines.push(...content.split('\\n').filter((line) => line.includes('WARN cart')))
}
await tools.files.write_file({ path: input.folder + '/out/warnings.log', content: lines.join('\\n') })
return lines.length`,
    expected: () => LOG.filter(({ level, part }) => level === 'WARN' && part === 'cart').length,
    writes: () => 1,
  },
  {
    name: 'teams of five people',
    kind: 'lookup',
    find: READ,
    needs: ['files.read_text_file'],
    code: `const people = ['ada', 'bo', 'cleo', 'dara', 'elif']
const files = await parallel(people.map((name) => () => tools.files.read_text_file({ path: input.folder + '/people/' + name + '.md' })))
return files.map(({ content }) => /team: (\\w+)/.exec(content)[1])`,
    expected: () =>
      ['ada', 'bo', 'cleo', 'dara', 'elif'].map(
        (name) => /team: (\w+)/.exec(dataFiles()[`people/${name}.md`] ?? '')?.[1],
      ),
  },
  {
    name: 'one setting out of one file',
    kind: 'small',
    find: READ,
    needs: ['files.read_text_file'],
    code: `const { content } = await tools.files.read_text_file({ path: input.folder + '/people/ada.md' })
return /limit: (\\d+)/.exec(content)[1]`,
    expected: () => /limit: (\d+)/.exec(dataFiles()['people/ada.md'] ?? '')?.[1],
  },
  {
    name: 'write one short file',
    kind: 'small',
    find: 'write a file',
    needs: ['files.write_file'],
    code: `await tools.files.write_file({ path: input.folder + '/out/note.txt', content: 'remember the milk' })
return 'written'`,
    expected: () => 'written',
    writes: () => 1,
  },
  {
    name: 'limits of three people',
    kind: 'small',
    find: READ,
    needs: ['files.read_text_file'],
    code: `const limits = []
for (const name of ['gao', 'hana', 'ivo']) {
  const { content } = await tools.files.read_text_file({ path: input.folder + '/people/' + name + '.md' })
  limits.push(Number(/limit: (\\d+)/.exec(content)[1]))
}
return limits`,
    expected: () =>
      ['gao', 'hana', 'ivo'].map((name) =>
        Number(/limit: (\d+)/.exec(dataFiles()[`people/${name}.md`] ?? '')?.[1]),
      ),
  },
]
