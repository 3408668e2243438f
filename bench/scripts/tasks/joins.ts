import { LOG, ORDERS, RELATIONS, ENTITIES, limitOf, teamOf } from '../data.ts'
import { PEOPLE } from '../sample-records.ts'
import { type Task, amount, tally, text, top } from '../task.ts'

const ISSUES = '/repos/acme/shop/issues'

/** Questions that need two servers. */
export const JOIN_TASKS: readonly Task[] = [
  {
    name: 'issue authors who are customers',
    kind: 'join',
    find: 'list repository issues; list customers',
    needs: ['github.issues_list-for-repo', 'stripe.GetCustomers'],
    fields: { 'github.issues_list-for-repo': ['user.login'], 'stripe.GetCustomers': ['email'] },
    code: `const authors = new Set()
for (let page = 1; ; page++) {
  const issues = await tools.github['issues_list-for-repo']({ owner: 'acme', repo: 'shop', state: 'all', per_page: 20, page })
  for (const { user } of issues) authors.add(user.login)
  if (issues.length < 20) break
}
const { data } = await tools.stripe.GetCustomers({ limit: 20 })
const logins = new Set(data.map(({ email }) => email.split('@')[0]))
return [...authors].filter((login) => logins.has(login)).sort()`,
    expected: ({ github, stripe }) => {
      const logins = new Set(
        stripe.all('/v1/customers').map((customer) => text(customer, 'email').split('@')[0]),
      )
      const authors = new Set(github.all(ISSUES).map((issue) => text(issue, 'user', 'login')))
      return [...authors].filter((login) => logins.has(login)).toSorted()
    },
  },
  {
    name: 'projects led by the customer who paid most',
    kind: 'join',
    find: 'list charges; list customers; read the whole knowledge graph',
    needs: ['stripe.GetCharges', 'stripe.GetCustomers', 'memory.read_graph'],
    fields: {
      'stripe.GetCharges': ['id', 'customer', 'amount'],
      'stripe.GetCustomers': ['id', 'email'],
    },
    code: `const paid = {}
let starting_after
for (;;) {
  const { data, has_more } = await tools.stripe.GetCharges({ limit: 30, ...(starting_after && { starting_after }) })
  for (const { customer, amount } of data) paid[customer] = (paid[customer] ?? 0) + amount
  if (!has_more) break
  starting_after = data.at(-1).id
}
const best = Object.entries(paid).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0][0]
const { data: customers } = await tools.stripe.GetCustomers({ limit: 20 })
const person = customers.find(({ id }) => id === best).email.split('@')[0]
const { relations } = await tools.memory.read_graph({})
return { person, projects: relations.filter(({ from }) => from === person).map(({ to }) => to) }`,
    expected: ({ stripe }) => {
      const best = top(
        tally(
          stripe.all('/v1/charges'),
          (charge) => text(charge, 'customer'),
          (charge) => amount(charge, 'amount'),
        ),
      )
      const owner = stripe.all('/v1/customers').find(({ id }) => id === best)
      const person = String(owner?.['email']).split('@')[0]
      const projects = RELATIONS.filter(({ from }) => from === person).map(({ to }) => to)
      return { person, projects }
    },
  },
  {
    name: 'buyers over their limit',
    kind: 'join',
    find: 'read a text file',
    needs: ['files.read_text_file'],
    code: `const read = async (path) => (await tools.files.read_text_file({ path: input.folder + path })).content
const spent = {}
for (const region of ['north', 'south', 'east', 'west'])
  for (const { buyer, quantity, price } of JSON.parse(await read('/orders/' + region + '.json'))) spent[buyer] = (spent[buyer] ?? 0) + quantity * price
const over = []
for (const buyer of Object.keys(spent).sort()) {
  const limit = Number(/limit: (\\d+)/.exec(await read('/people/' + buyer + '.md'))[1])
  if (spent[buyer] > limit * 10) over.push(buyer)
}
return over`,
    expected: () => {
      const spent = tally(
        ORDERS,
        ({ buyer }) => buyer,
        ({ quantity, price }) => quantity * price,
      )
      return Object.keys(spent)
        .toSorted()
        .filter((buyer) => (spent[buyer] ?? 0) > limitOf(buyer) * 10)
    },
  },
  {
    name: 'pull requests by team',
    kind: 'join',
    find: 'list pull requests; read a text file',
    needs: ['github.pulls_list', 'files.read_text_file'],
    fields: { 'github.pulls_list': ['user.login'] },
    code: `const pulls = await tools.github.pulls_list({ owner: 'acme', repo: 'shop', state: 'all', per_page: 30 })
const authors = [...new Set(pulls.map(({ user }) => user.login))]
const files = await parallel(authors.map((name) => () => tools.files.read_text_file({ path: input.folder + '/people/' + name + '.md' })))
const teams = Object.fromEntries(authors.map((name, n) => [name, /team: (\\w+)/.exec(files[n].content)[1]]))
const counts = {}
for (const { user } of pulls) counts[teams[user.login]] = (counts[teams[user.login]] ?? 0) + 1
return counts`,
    expected: ({ github }) =>
      tally(github.all('/repos/acme/shop/pulls'), (pull) => teamOf(text(pull, 'user', 'login'))),
  },
  {
    name: 'open issues of people who lead a project',
    kind: 'join',
    find: 'read the whole knowledge graph; list repository issues',
    needs: ['memory.read_graph', 'github.issues_list-for-repo'],
    fields: { 'github.issues_list-for-repo': ['user.login'] },
    code: `const { relations } = await tools.memory.read_graph({})
const leads = new Set(relations.map(({ from }) => from))
const counts = {}
for (let page = 1; ; page++) {
  const issues = await tools.github['issues_list-for-repo']({ owner: 'acme', repo: 'shop', state: 'open', per_page: 20, page })
  for (const { user } of issues) if (leads.has(user.login)) counts[user.login] = (counts[user.login] ?? 0) + 1
  if (issues.length < 20) break
}
return counts`,
    expected: ({ github }) => {
      const leads = new Set(RELATIONS.map(({ from }) => from))
      return tally(
        github
          .all(ISSUES)
          .filter((issue) => issue['state'] === 'open' && leads.has(text(issue, 'user', 'login'))),
        (issue) => text(issue, 'user', 'login'),
      )
    },
  },
  {
    name: 'who answers for the part with the most errors',
    kind: 'join',
    find: 'read a text file',
    needs: ['files.read_text_file'],
    code: `const read = async (path) => (await tools.files.read_text_file({ path: input.folder + path })).content
const counts = {}
for (let day = 10; day < 20; day++)
  for (const [, part] of (await read('/logs/2026-03-' + day + '.log')).matchAll(/ERROR (\\w+)/g)) counts[part] = (counts[part] ?? 0) + 1
const worst = Object.entries(counts).sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0][0]
const people = ['ada', 'bo', 'cleo', 'dara', 'elif', 'finn', 'gao', 'hana', 'ivo', 'jun', 'kofi', 'lena']
const texts = await parallel(people.map((name) => () => read('/people/' + name + '.md')))
return people.filter((_, n) => texts[n].includes('team: ' + worst))`,
    expected: () => {
      const worst = top(
        tally(
          LOG.filter(({ level }) => level === 'ERROR'),
          ({ part }) => part,
        ),
      )
      return PEOPLE.filter((person) => teamOf(person) === worst)
    },
  },
  {
    name: 'orders against charges, by person',
    kind: 'join',
    find: 'read a text file; list charges; list customers',
    needs: ['files.read_text_file', 'stripe.GetCharges', 'stripe.GetCustomers'],
    fields: { 'stripe.GetCharges': ['customer', 'amount'], 'stripe.GetCustomers': ['id', 'email'] },
    code: `const ordered = {}
for (const region of ['north', 'south', 'east', 'west']) {
  const { content } = await tools.files.read_text_file({ path: input.folder + '/orders/' + region + '.json' })
  for (const { buyer, quantity, price } of JSON.parse(content)) ordered[buyer] = (ordered[buyer] ?? 0) + quantity * price
}
const { data: customers } = await tools.stripe.GetCustomers({ limit: 20 })
const names = Object.fromEntries(customers.map(({ id, email }) => [id, email.split('@')[0]]))
const charged = {}
const { data } = await tools.stripe.GetCharges({ limit: 90 })
for (const { customer, amount } of data) charged[names[customer]] = (charged[names[customer]] ?? 0) + amount
return Object.keys(ordered).filter((name) => (charged[name] ?? 0) < ordered[name]).sort()`,
    expected: ({ stripe }) => {
      const ordered = tally(
        ORDERS,
        ({ buyer }) => buyer,
        ({ quantity, price }) => quantity * price,
      )
      const names = new Map(
        stripe
          .all('/v1/customers')
          .map((customer) => [customer['id'], text(customer, 'email').split('@')[0] ?? '']),
      )
      const charged = tally(
        stripe.all('/v1/charges'),
        (charge) => names.get(charge['customer']) ?? '',
        (charge) => amount(charge, 'amount'),
      )
      return Object.keys(ordered)
        .filter((name) => (charged[name] ?? 0) < (ordered[name] ?? 0))
        .toSorted()
    },
  },
  {
    name: 'a file for each open milestone of an urgent project',
    kind: 'filter and write',
    find: 'list milestones; open nodes of the knowledge graph; write a file',
    needs: ['github.issues_list-milestones', 'memory.open_nodes', 'files.write_file'],
    fields: { 'github.issues_list-milestones': ['number', 'title', 'open_issues'] },
    code: `const milestones = await tools.github['issues_list-milestones']({ owner: 'acme', repo: 'shop', state: 'open' })
const names = milestones.map(({ number }) => 'project-' + number)
const { entities } = await tools.memory.open_nodes({ names })
const urgent = entities.filter(({ observations }) => observations.includes('priority 1')).map(({ name }) => name)
for (const { number, title, open_issues } of milestones)
  if (urgent.includes('project-' + number)) await tools.files.write_file({ path: input.folder + '/out/' + number + '.txt', content: title + ': ' + open_issues })
return urgent.sort()`,
    expected: ({ github }) =>
      github
        .all('/repos/acme/shop/milestones')
        .filter((milestone) => milestone['state'] === 'open')
        .map((milestone) => `project-${text(milestone, 'number')}`)
        .filter((name) => isUrgent(name))
        .toSorted(),
  },
]

function isUrgent(name: string): boolean {
  return ENTITIES.some(
    (entity) => entity.name === name && entity.observations.includes('priority 1'),
  )
}
