/** The least that a durable check over HTTP can cost: node:http, and one committed row of better-sqlite3 for each request. */
import BetterSqlite3 from 'better-sqlite3'

import { listen, ready } from './listen.ts'

const database = new BetterSqlite3(process.argv[2])
database.pragma('journal_mode = WAL')
database.pragma('synchronous = FULL')
database.exec('create table written (id integer primary key, body text not null)')
const insert = database.prepare('insert into written (body) values (?)')

const { url, close } = await listen((req, res) => {
  let body = ''
  req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
  req.on('end', () => {
    const { user } = JSON.parse(body) as { user: { username: string } }
    insert.run(body)
    res.setHeader('content-type', 'application/json').end(JSON.stringify({ user, state: 'approved' }))
  })
})
ready({ url }, () => {
  close()
  database.close()
})
