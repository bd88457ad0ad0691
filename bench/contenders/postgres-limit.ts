/**
 * The least that a code check on PostgreSQL can cost: node:http, and for each request one transaction of 12 statements
 * that are prepared and pipelined, on 8 connections.
 */
import { Pool } from 'pg'

import { listen, ready } from './listen.ts'

const rows = 1_000
const pool = new Pool({ connectionString: process.argv[2], max: 8, pipeline: true })
await pool.query('create table counter (id int primary key, value int not null)')
await pool.query('create table written (id bigint generated always as identity primary key, body text not null)')
await pool.query(`insert into counter select id, 0 from generate_series(1, ${rows}) as id`)

const read = { name: 'read', text: 'select value from counter where id = $1' }
const count = { name: 'count', text: 'update counter set value = value + 1 where id = $1' }
const write = { name: 'write', text: 'insert into written (body) values ($1)' }

async function transact(body: string): Promise<void> {
  const client = await pool.connect()
  const id = 1 + Math.floor(Math.random() * rows)
  try {
    await Promise.all([
      client.query('begin'),
      ...Array.from({ length: 6 }, () => client.query({ ...read, values: [id] })),
      ...Array.from({ length: 2 }, () => client.query({ ...count, values: [id] })),
      ...Array.from({ length: 2 }, () => client.query({ ...write, values: [body] })),
      client.query('commit'),
    ])
  } finally {
    client.release()
  }
}

const { url, close } = await listen((req, res) => {
  let body = ''
  req.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
  req.on('end', () => {
    transact(body).then(
      () => void res.end(body),
      (error: unknown) => void res.writeHead(500).end(String(error)),
    )
  })
})
ready({ url }, async () => {
  close()
  await pool.end()
})
