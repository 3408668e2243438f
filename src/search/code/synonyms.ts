import { stem } from '../analyse/stem.ts'

/**
 * Words that programmers use interchangeably, one group per line: full words, their usual short
 * forms, near synonyms.
 */
const GROUPS = `
authentication authenticate auth login credential signin
authorization authorize auth permission access policy
configuration config configure settings options preferences
delete remove erase drop
error exception failure fault
response reply resp res
request req
initialize init setup bootstrap start
create new make build construct
parse decode deserialize unmarshal
serialize encode marshal dump
database db
message msg
context ctx
parameter param argument arg args
environment env
directory dir folder
temporary temp tmp
string str text
number num int
document doc docs
specification spec
application app
function func fn callback
reference ref
previous prev
execute exec run invoke
command cmd
connection conn
transaction tx txn
certificate cert tls ssl
hash digest checksum
encrypt cipher crypto
asynchronous async await
synchronous sync
concurrent concurrency parallel thread
repository repo
generate gen
utility util helper
library lib
iterate iterator loop
compare comparison equal
validate validation check verify
convert conversion transform cast
schedule scheduler cron timer
cache memoize
retry backoff
log logger logging
websocket ws socket
compress compression gzip deflate zip
template view render
translate translation locale i18n localization
middleware interceptor filter plugin hook
route router routing endpoint mux
handler controller
format formatter formatting print
test assertion assert expect
mock stub spy fake
cookie session
upload multipart file
download fetch
background task job worker queue
dependency inject injection
event listener emit subscribe publish observer
state status
insert add append push
lookup find search get query
update modify change set
list array collection
map dictionary dict hashmap
time date datetime duration
random rand
memory alloc allocator allocation
buffer buf
character char
boolean bool
attribute attr property field
element elem node item
index idx
length len size
maximum max
minimum min
average avg
calculate compute
expression expr
statement stmt
declaration decl
definition def
variable var
information info
original orig
source src
destination dest dst
address addr
object obj
pointer ptr
value val
identifier id
process proc
manager mgr
implementation impl
interface protocol trait
administrator admin
increment inc
decrement dec
multiply mul
subtract sub
`

const SYNONYMS = new Map<string, Set<string>>()
for (const line of GROUPS.trim().split('\n')) {
  const group = new Set(line.split(' ').map(stem))
  for (const word of group) {
    const known = SYNONYMS.get(word) ?? new Set()
    for (const other of group) if (other !== word) known.add(other)
    SYNONYMS.set(word, known)
  }
}

/** Returns other stems that may stand for this one in code. */
export function synonyms(stemmed: string): Iterable<string> {
  return SYNONYMS.get(stemmed) ?? []
}
