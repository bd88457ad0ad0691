export * from './express/index.ts'
export type { Connection, ServiceHandle } from './service-handle.ts'
