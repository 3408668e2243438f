import { isDeepStrictEqual } from 'node:util'

/** What is wrong with a request that arrived, by the description; nothing when all is in place. */
export async function problemsOf(seen, { path, method, parameters, body }, sent) {
  if (!seen) return ['nothing arrived']
  const problems = []
  if (seen.method !== method) problems.push(`method ${seen.method}`)
  const [pathname, search = ''] = seen.url.replace(/^\/base/, '').split('?')
  const pathValues = matchPath(path.split('#')[0], pathname)
  if (!pathValues) return [...problems, `path ${pathname} is not ${path}`]
  const query = search
    .split('&')
    .filter(Boolean)
    .map((pair) => pair.split('=').map(decode))
  for (const parameter of parameters) {
    const value = sent.parameters.get(parameter)
    if (value === undefined) continue
    const found = {
      path: () =>
        arrived(parameter, value, [[parameter.name, pathValues[parameter.name]]], 'simple'),
      query: () => arrived(parameter, value, query, 'form'),
      header: () =>
        arrived(
          parameter,
          value,
          [[parameter.name, seen.headers[parameter.name.toLowerCase()]]],
          'simple',
        ),
      cookie: () => (seen.headers.cookie ?? '').includes(`${parameter.name}=`),
    }[parameter.in]()
    if (!found)
      problems.push(`${parameter.in} ${parameter.name} did not arrive as ${JSON.stringify(value)}`)
  }
  if (body && sent.body !== undefined) problems.push(...(await bodyProblems(seen, body, sent.body)))
  return problems
}

function matchPath(template, pathname) {
  const names = []
  const pattern = template
    .split(/(\{[^}]+\})/)
    .map((part) => {
      if (!part.startsWith('{')) return part.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`)
      names.push(part.slice(1, -1))
      return '([^/]*?)'
    })
    .join('')
  const match = new RegExp(`^${pattern.replace(/^(?!\/)/, '/')}$`).exec(pathname)
  return match && Object.fromEntries(names.map((name, n) => [name, decode(match[n + 1])]))
}

function arrived(parameter, value, pairs, defaultStyle) {
  const style = parameter.style ?? swaggerStyle(parameter) ?? defaultStyle
  const explode = parameter.explode ?? explodes(parameter, style)
  const of = (name) => pairs.filter(([key]) => key === name).map(([, each]) => each)
  const how = { name: parameter.name, style, isSpread: explode && parameter.in === 'query', of }
  if (parameter.content) return isDeepStrictEqual(parse(of(parameter.name)[0]), value)
  if (Array.isArray(value)) return listArrived(value, how)
  if (typeof value === 'object' && value !== null) return objectArrived(value, how)
  return of(parameter.name).includes(scalar(value))
}

function explodes({ collectionFormat, type }, style) {
  if (collectionFormat) return collectionFormat === 'multi'
  return style === 'form' && type === undefined
}

function listArrived(value, { name, style, isSpread, of }) {
  const texts = value.map(scalar)
  if (style === 'deepObject')
    return leaves(value).every(([at, leaf]) => of(name + at).includes(leaf))
  if (isSpread) return isDeepStrictEqual(of(name), texts)
  if (texts.length === 0) return of(name).length === 0
  const separator = { pipeDelimited: '|', spaceDelimited: ' ' }[style] ?? ','
  return of(name)[0] === texts.join(separator)
}

function objectArrived(value, { name, style, isSpread, of }) {
  if (style === 'deepObject')
    return leaves(value).every(([at, leaf]) => of(name + at).includes(leaf))
  if (isSpread) return Object.entries(value).every(([key, each]) => of(key).includes(scalar(each)))
  const joined = Object.entries(value).flatMap(([key, each]) => [key, scalar(each)])
  return joined.length === 0 || of(name)[0] === joined.join(',')
}

function swaggerStyle({ collectionFormat }) {
  return { pipes: 'pipeDelimited', ssv: 'spaceDelimited', tsv: 'spaceDelimited' }[collectionFormat]
}

async function bodyProblems(seen, { type, encoding = {} }, value) {
  const sentType = seen.headers['content-type'] ?? ''
  if (/[/+]json\b|^\*\/\*/.test(type)) {
    return isDeepStrictEqual(parse(seen.body.toString()), value) ? [] : ['the JSON body differs']
  }
  if (type.includes('urlencoded')) {
    const pairs = [...new URLSearchParams(seen.body.toString())]
    return leavesOfForm(value, encoding).flatMap(([name, leaf]) =>
      pairs.some(([key, each]) => key === name && each === leaf)
        ? []
        : [`form field ${name} is missing`],
    )
  }
  if (type.startsWith('multipart/')) {
    if (!sentType.startsWith('multipart/form-data; boundary=')) return ['not multipart']
    const form = await new Request('http://x', {
      method: 'POST',
      headers: { 'content-type': sentType },
      body: seen.body,
    }).formData()
    return Object.keys(value).flatMap((name) => {
      const isEmpty = Array.isArray(value[name]) && value[name].length === 0
      return form.has(name) || isEmpty ? [] : [`part ${name} is missing`]
    })
  }
  return seen.body.length > 0 ? [] : ['the body is empty']
}

/** `[path, text]` of every scalar in brackets notation. */
function leaves(value, at = '') {
  if (Array.isArray(value)) return value.flatMap((each, n) => leaves(each, `${at}[${n}]`))
  if (typeof value === 'object' && value !== null)
    return Object.entries(value).flatMap(([key, each]) => leaves(each, `${at}[${key}]`))
  return [[at, scalar(value)]]
}

function leavesOfForm(value, encoding) {
  return Object.entries(value).flatMap(([name, each]) => {
    const isNested = typeof each === 'object' && each !== null
    const isPlainList = Array.isArray(each) && each.every((item) => typeof item !== 'object')
    const { style, explode = true } = encoding[name] ?? {}
    if (isPlainList && style !== 'deepObject') {
      return explode
        ? each.map((item) => [name, scalar(item)])
        : each.length > 0
          ? [[name, each.map(scalar).join(',')]]
          : []
    }
    return isNested ? leaves(each, name) : [[name, scalar(each)]]
  })
}

function scalar(value) {
  if (typeof value === 'string') return value
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
}

function decode(text) {
  return decodeURIComponent(text.replaceAll('+', '%2B'))
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
