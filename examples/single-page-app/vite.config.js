import { defineConfig } from 'vite'

const app = process.env.APP ?? 'http://localhost:3000'

export default defineConfig({
  server: { proxy: { '/api': app, '/mfa': app } },
})
