/** How one framework reads a request, answers it and registers a handler; everything that a rewrite needs to write the same application in it. */
export interface Dialect {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  /** The file that registers; LEAF stands for the last part of the address. */
  readonly server: string
  readonly commonJs: boolean
  /** Parameters of a handler. */
  readonly params: string
  /** The value that the request brings under a name. */
  readonly input: (name: string) => string
  /** What is in the Authorization header. */
  readonly token: string
  readonly answer: (value: string, status?: number) => string
  /** The server, given the lines before it and the expression of the handler; `register` is missing where files are routes. */
  readonly serve: (lines: string, registration: string) => string
  readonly register?: (method: string, path: string, handler: string) => string
  /** The file of a route whose handler is an expression, where there are no registrations. */
  readonly file?: (lines: string, handler: string, leaf: string) => string
}

const importLine = (name: string, from: string) => `import ${name} from '${from}'`

/** Six frameworks, each with the shapes its documentation shows. */
export const DIALECTS: readonly Dialect[] = [
  {
    name: 'Express',
    dependencies: { express: '4.21.0' },
    server: 'src/server.js',
    commonJs: true,
    params: 'req, res',
    input: (name) => `req.body.${name}`,
    token: 'req.headers.authorization',
    answer: (value, status) => `return res${status ? `.status(${status})` : ''}.json(${value})`,
    serve: (lines, registration) =>
      `${importLine('express', 'express')}\n${lines}\nconst app = express()\napp.use(express.json())\n${registration}\napp.listen(3000)\n`,
    register: (method, path, handler) => `app.${method}('${path}', ${handler})`,
  },
  {
    name: 'Fastify',
    dependencies: { fastify: '5.2.0' },
    server: 'src/server.js',
    commonJs: true,
    params: 'req, reply',
    input: (name) => `req.body.${name}`,
    token: 'req.headers.authorization',
    answer: (value, status) => `return reply${status ? `.code(${status})` : ''}.send(${value})`,
    serve: (lines, registration) => `${importLine('Fastify', 'fastify')}\n${lines}\nconst app = Fastify()\n${registration}\napp.listen({ port: 3000 })\n`,
    register: (method, path, handler) => `app.${method}('${path}', ${handler})`,
  },
  {
    name: 'Koa',
    dependencies: { koa: '2.15.0', '@koa/router': '13.1.0', '@koa/bodyparser': '5.1.1' },
    server: 'src/server.js',
    commonJs: true,
    params: 'ctx',
    input: (name) => `ctx.request.body.${name}`,
    token: "ctx.get('authorization')",
    answer: (value, status) => `${status ? `ctx.status = ${status}; ` : ''}ctx.body = ${value}; return`,
    serve: (lines, registration) =>
      `${importLine('Koa', 'koa')}\n${importLine('Router', '@koa/router')}\nimport { bodyParser } from '@koa/bodyparser'\n${lines}\nconst server = new Koa()\nserver.use(bodyParser())\nconst app = new Router()\n${registration}\nserver.use(app.routes())\nserver.listen(3000)\n`,
    register: (method, path, handler) => `app.${method}('${path}', ${handler})`,
  },
  {
    name: 'Hono',
    dependencies: { hono: '4.6.0' },
    server: 'src/server.js',
    commonJs: true,
    params: 'c',
    input: (name) => `(await c.req.json()).${name}`,
    token: "c.req.header('authorization')",
    answer: (value, status) => `return c.json(${value}${status ? `, ${status}` : ''})`,
    serve: (lines, registration) => `import { Hono } from 'hono'\n${lines}\nconst app = new Hono()\n${registration}\nexport default app\n`,
    register: (method, path, handler) => `app.${method}('${path}', ${handler})`,
  },
  {
    name: 'Next.js',
    dependencies: { next: '15.5.0', react: '19.0.0' },
    server: 'app/api/things/LEAF/route.js',
    commonJs: false,
    params: 'req',
    input: (name) => `(await req.json()).${name}`,
    token: "req.headers.get('authorization')",
    answer: (value, status) => `return Response.json(${value}${status ? `, { status: ${status} }` : ''})`,
    serve: (lines, registration) => `${lines}\n${registration}\n`,
    file: (lines, handler) => `${lines}\nexport const POST = ${handler}\n`,
  },
  {
    name: 'NestJS',
    dependencies: { '@nestjs/common': '10.4.0', '@nestjs/core': '10.4.0' },
    server: 'src/things.controller.ts',
    commonJs: false,
    params: 'body, authorization',
    input: (name) => `body.${name}`,
    token: 'authorization',
    answer: (value, status) => (status ? `throw new HttpException(${value}, ${status})` : `return ${value}`),
    serve: (lines, registration) => `${lines}\n${registration}\n`,
    file: (lines, handler, leaf) =>
      `import { Body, Controller, Headers, Post } from '@nestjs/common'\n${lines}\nconst handler = ${handler}\n@Controller('things')\nexport class ThingsController {\n  @Post('${leaf}')\n  run(@Body() body: any, @Headers('authorization') authorization: string) {\n    return handler(body, authorization)\n  }\n}\n`,
  },
]
