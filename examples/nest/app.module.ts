import { Body, Controller, Get, Module, Post, Redirect, Req } from '@nestjs/common'
import type { Request } from 'express'
import type { Verified } from 'second-factor'

import { Mfa, RequireMfa } from './mfa.guard.js'

const form = (action: string, fields: string, button: string) =>
  `<form method="post" action="${action}">${fields}<button>${button}</button></form>`

/** Stands for the login of your app. Everyone's password is "secret". */
@Controller()
class LoginController {
  @Get('login')
  show() {
    return form('/login', '<input name="username"><input name="password" type="password">', 'Sign in')
  }

  @Post('login')
  @Redirect('/', 303)
  async login(@Req() req: Request, @Body() { username, password }: { username: string; password: string }) {
    if (password !== 'secret') return { url: '/login' }
    await new Promise<void>((done, failed) => req.session.regenerate((error) => (error ? failed(error) : done())))
    req.session.user = { username }
  }

  @Post('logout')
  @Redirect('/login', 303)
  logout(@Req() req: Request) {
    return new Promise<void>((done, failed) => req.session.destroy((error) => (error ? failed(error) : done())))
  }
}

@Controller()
export class AppController {
  @Get()
  home(@Mfa() verified: Verified | undefined) {
    if (!verified) return '<a href="/login">Sign in</a>'
    return `<p>You passed by ${verified.factor}.</p><a href="/transfer">Send money</a>${form('/logout', '', 'Sign out')}`
  }

  @Get('transfer')
  @RequireMfa({ maxAge: 300 })
  ask() {
    return form('/transfer', '<input name="amount">', 'Send')
  }

  @Post('transfer')
  @RequireMfa({ maxAge: 300 })
  transfer(@Body() { amount }: { amount: string }) {
    return { sent: Number(amount) }
  }
}

@Module({ controllers: [LoginController, AppController] })
export class AppModule {}
