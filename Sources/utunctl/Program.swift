internal import Commands
internal import Glibc
internal import LinuxSystem

@main
enum Main {
    static func main() {
        exit(Program.run(ProgramArguments.all))
    }
}
