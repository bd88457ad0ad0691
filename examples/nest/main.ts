/**
 * A Nest app behind a second factor, on Nest's Express platform. `mfa()` is middleware in front of all controllers, and `@RequireMfa()` is
 * for those that need a fresh second step.
 */
import { NestFactory } from '@nestjs/core'
import session from 'express-session'
import { mfa } from 'second-factor'
import { embedded } from 'second-factor/service'

import { AppModule } from './app.module.js'

async function bootstrap() {
  const app = await NestFactory.create(AppModule)
  app.use(session({ secret: 'keyboard cat', resave: false, saveUninitialized: false, cookie: { sameSite: 'lax' } }))
  app.use(
    mfa({
      service: embedded({ database: 'mfa.sqlite' }),
      appName: 'Nest',
      user: (req) => req.session.user,
      provision: true,
      public: ['/login'], // users who have not passed the second step may sign in as another user
      logoutPath: '/logout',
    }),
  )
  await app.listen(process.env.PORT ?? 3000, 'localhost')
  console.log(`This example listens on http://localhost:${app.getHttpServer().address().port}`)
}
void bootstrap()

declare module 'express-session' {
  interface SessionData {
    user: { username: string }
  }
}
