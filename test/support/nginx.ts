import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { freePort } from './service-nodes.ts'

export interface Nginx {
  readonly origin: string
  /** Its error log. */
  readonly errors: () => string
  close(): Promise<void>
}

/**
 * A real nginx in front of several nodes.
 * @param keepAlive How long it keeps an idle connection to a node, seconds; less than --drain-seconds.
 */
export async function startNginx(ports: readonly number[], keepAlive: number): Promise<Nginx> {
  if (spawnSync('nginx', ['-v']).error) throw new Error('This test needs nginx. Install it: apt-get install nginx')
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-nginx-'))
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  writeFileSync(file, configuration({ ports, port, keepAlive }))
  const child = spawn('nginx', ['-p', folder, '-c', file, '-e', 'errors.log'], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(child, 'exit')
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error('nginx did not start.')
  }
  return {
    origin: `http://127.0.0.1:${port}`,
    errors: () => readFileSync(join(folder, 'errors.log'), 'utf8'),
    async close() {
      child.kill('SIGQUIT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

interface Settings {
  readonly ports: readonly number[]
  readonly port: number
  readonly keepAlive: number
}

const configuration = ({ ports, port, keepAlive }: Settings) => `
daemon off;
${process.getuid?.() === 0 ? 'user root;' : ''}
pid nginx.pid;
error_log errors.log warn;
worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;

  upstream second_factor {
    # max_fails=0: a node that answers 503 is asked again at once; nginx would otherwise leave it alone for 10 s, and answer
    # 502 by itself once it left all of them alone.
${ports.map((node) => `    server 127.0.0.1:${node} max_fails=0;`).join('\n')}
    keepalive 32;
    # Shorter than the drain.
    keepalive_timeout ${keepAlive}s;
  }

  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://second_factor;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $host;
      proxy_set_header X-Forwarded-For $remote_addr;
      proxy_read_timeout 75s;
      proxy_connect_timeout 2s;
      proxy_buffering off;
      proxy_next_upstream error timeout http_503 non_idempotent;
    }
  }
}
`

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })
}
