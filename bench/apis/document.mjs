/** A second, independent reading of a description: what the importer does is checked against it. */
export const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head']

export function deref(root, value) {
  let current = value
  for (let hops = 0; hops < 20 && typeof current?.$ref === 'string'; hops++) {
    if (!current.$ref.startsWith('#/')) return {}
    current = current.$ref
      .slice(2)
      .split('/')
      .reduce(
        (at, key) => at?.[decodeURIComponent(key.replaceAll('~1', '/').replaceAll('~0', '~'))],
        root,
      )
  }
  return current ?? {}
}

/** Every operation with its parameters and its body, in the words of OpenAPI 3. */
export function* operationsOf(root) {
  for (const [path, rawItem] of Object.entries(root.paths)) {
    const item = deref(root, rawItem)
    for (const method of METHODS) {
      const operation = item[method]
      if (!operation) continue
      const byPlace = new Map()
      for (const raw of [...(item.parameters ?? []), ...(operation.parameters ?? [])]) {
        const parameter = deref(root, raw)
        byPlace.set(`${parameter.in} ${parameter.name}`, parameter)
      }
      const all = [...byPlace.values()]
      const parameters = all.filter(
        (each) =>
          ['path', 'query', 'header', 'cookie'].includes(each.in) &&
          !(each.in === 'header' && /^(accept|content-type|authorization)$/i.test(each.name)),
      )
      yield { path, method, operation, parameters, body: bodyOf(root, operation, all) }
    }
  }
}

function bodyOf(root, operation, parameters) {
  if (root.swagger) return swaggerBody(parameters)
  const { content = {} } = deref(root, operation.requestBody ?? {})
  const types = Object.keys(content)
  const [type = types[0]] = [
    /^application\/json\b/,
    /[/+]json\b/,
    /urlencoded/,
    /^multipart\/form-data/,
  ].flatMap((wanted) => types.filter((each) => wanted.test(each)))
  return type && { type, schema: content[type].schema ?? {}, encoding: content[type].encoding }
}

function swaggerBody(parameters) {
  const whole = parameters.find((each) => each.in === 'body')
  if (whole) return { type: 'application/json', schema: whole.schema }
  const fields = parameters.filter((each) => each.in === 'formData')
  if (fields.length === 0) return undefined
  const isMultipart = fields.some((each) => each.type === 'file')
  const properties = Object.fromEntries(fields.map((each) => [each.name, each]))
  const type = isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  return { type, schema: { type: 'object', properties } }
}

/** What a converter that inlines every reference would list, cut off where it would not end. */
export function naiveSchema(root, schema, budget = { nodes: 50_000 }, chain = []) {
  if (budget.nodes-- <= 0 || typeof schema !== 'object' || schema === null) return schema
  if (Array.isArray(schema)) return schema.map((each) => naiveSchema(root, each, budget, chain))
  if (typeof schema.$ref === 'string') {
    if (chain.includes(schema.$ref)) return { type: 'object' }
    return naiveSchema(root, deref(root, schema), budget, [...chain, schema.$ref])
  }
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => !/^(x-|examples?$|xml$|externalDocs$)/.test(key))
      .map(([key, value]) => [key, naiveSchema(root, value, budget, chain)]),
  )
}

export function naiveTool(root, { path, method, operation, parameters, body }) {
  const properties = Object.fromEntries(
    parameters.map((each) => [
      each.name,
      { description: each.description, ...naiveSchema(root, each.schema ?? { type: each.type }) },
    ]),
  )
  if (body) properties.body = naiveSchema(root, body.schema)
  return {
    name: operation.operationId ?? `${method}_${path}`,
    description: [operation.summary, operation.description].filter(Boolean).join('\n'),
    inputSchema: { type: 'object', properties },
  }
}
