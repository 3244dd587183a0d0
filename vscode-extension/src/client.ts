// Life of the language client: started by the first kernel, queued restarts, crash limit.
import * as vscode from "vscode";
import { LanguageClient, RevealOutputChannelOn, State, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { resolveServer, type ServerCommand } from "./interpreter";
import type { Channels } from "./log";
import { SingleQueue } from "./queue";
import { serverSection } from "./settings";
import type { Status } from "./status";

export const IR_SCHEME = "pypto-ir";
/** A server that dies more often than this within three minutes stays down. */
const MAX_RESTARTS = 5;
const STOP_TIMEOUT = 3000;

export class Client {
  private client: LanguageClient | undefined;
  private current: ServerCommand | undefined;
  private asked = false;
  private forced = false;
  private readonly queue = new SingleQueue();
  private readonly startedEmitter = new vscode.EventEmitter<LanguageClient>();
  /** Fires after every successful start. */
  readonly onStarted = this.startedEmitter.event;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly channels: Channels,
    private readonly status: Status,
  ) {
    context.subscriptions.push(this.startedEmitter);
  }

  get running(): LanguageClient | undefined {
    return this.client?.state === State.Running ? this.client : undefined;
  }

  /** What is running, or was started last. */
  get server(): ServerCommand | undefined {
    return this.current;
  }

  /** Whether anything has needed the server yet. */
  get needed(): boolean {
    return this.asked;
  }

  /** Starts the server unless that has been asked for already; resolves when it runs or could not be started. */
  start(): Promise<void> {
    return this.asked ? this.queue.settled() : this.restart();
  }

  /** Starts, or restarts. */
  restart(): Promise<void> {
    this.asked = true;
    this.forced = true;
    return this.queue.request(() => this.doRestart());
  }

  /** Resolves the server again, and restarts only when that gives another one. */
  reconsider(): Promise<void> {
    return this.asked ? this.queue.request(() => this.doRestart()) : Promise.resolve();
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    if (client && client.state !== State.Stopped) await client.stop(STOP_TIMEOUT).catch(() => undefined);
  }

  private async doRestart(): Promise<void> {
    const log = this.channels.client;
    const forced = this.forced;
    this.forced = false;
    if (!this.client) this.status.busy("PyPTO: starting");
    const server = await resolveServer(this.context, log);
    if (!server) {
      await this.stop();
      this.current = undefined;
      this.noServer();
      return;
    }
    if (!forced && this.running && JSON.stringify(server) === JSON.stringify(this.current)) return;
    this.status.busy("PyPTO: starting");
    await this.stop();
    this.current = server;
    log.info(`Starting ${server.command} ${server.args.join(" ")} - from ${server.origin}`);
    const client = this.create(server);
    this.client = client;
    const began = Date.now();
    try {
      await client.start();
    } catch (error) {
      this.status.error("PyPTO: server did not start", String(error));
      log.error(`The server did not start: ${String(error)}`);
      return;
    }
    log.info(`Started in ${Date.now() - began} ms`);
    this.showReady(client, server);
    this.startedEmitter.fire(client);
  }

  private noServer(): void {
    const select = "Select Interpreter";
    const logs = "Show Logs";
    this.status.error("PyPTO: no server", "Install it in the selected environment: pip install pypto-lsp");
    this.channels.client.error("No pypto-lsp was found in the selected environment, in a virtual environment of the workspace, on PATH, or bundled");
    const text = 'PyPTO: no language server found. Install it with "pip install pypto-lsp", or select the interpreter that has it.';
    void vscode.window.showWarningMessage(text, select, logs).then((choice) => {
      if (choice === select) void vscode.commands.executeCommand("pypto.selectInterpreter");
      if (choice === logs) this.channels.client.show();
    });
  }

  private async showFault(message: string): Promise<void> {
    const logs = "Show Logs";
    if ((await vscode.window.showErrorMessage(message, logs)) === logs) this.channels.server.show();
  }

  private showReady(client: LanguageClient, server: ServerCommand): void {
    this.status.ready(client.initializeResult?.serverInfo?.version ?? server.version ?? "", server.origin);
  }

  private create(server: ServerCommand): LanguageClient {
    // Not the workspace folder: Python may look for modules where it is started, and the user's files are never imported.
    const cwd = this.context.extensionPath;
    const executable = { command: server.command, args: server.args, options: { cwd, env: server.env } };
    const serverOptions: ServerOptions = { run: executable, debug: executable };
    const section = (resource?: vscode.Uri) => serverSection(vscode.workspace.getConfiguration("pypto", resource));
    const options: LanguageClientOptions = {
      documentSelector: [
        { scheme: "file", language: "python" },
        { scheme: "untitled", language: "python" },
        { scheme: IR_SCHEME, language: "pypto-ir" },
      ],
      outputChannel: this.channels.server,
      traceOutputChannel: this.channels.trace,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationOptions: { clientCommands: true, settings: section() },
      connectionOptions: { maxRestartCount: MAX_RESTARTS },
      middleware: {
        workspace: {
          // The server asks for the section of every folder; the values that go with the notification would include all defaults.
          didChangeConfiguration: async () => client.sendNotification("workspace/didChangeConfiguration", { settings: null }),
          configuration: (params, token, next) => {
            if (params.items.some((item) => item.section !== "pypto")) return next(params, token);
            return params.items.map((item) => section(item.scopeUri === undefined ? undefined : vscode.Uri.parse(item.scopeUri)));
          },
        },
      },
    };
    const client: LanguageClient = new LanguageClient("pypto", "PyPTO Language Server", serverOptions, options);
    client.onNotification("pypto/fault", ({ message }: { message: string }) => void this.showFault(message));
    client.onDidChangeState(({ newState }) => {
      if (client !== this.client) return;
      if (newState === State.Stopped) this.status.warning("PyPTO: server stopped", "Restart it with PyPTO: Restart Server");
      else if (newState === State.Starting) this.status.busy("PyPTO: starting");
      else this.showReady(client, server);
    });
    return client;
  }
}
