/** The methods that an API description may use. */
export const METHODS = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
] as const

export type Method = (typeof METHODS)[number]
